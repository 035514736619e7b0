"""Question → plan: a question is taken apart step by step until nothing is open."""
