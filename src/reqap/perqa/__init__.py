"""PerQA: invented people, their lives, what they wrote about them, and questions with answers.

The benchmark of the paper, written anew. Gold never depends on what it measures: nothing here
imports plans, operators or models.
"""
