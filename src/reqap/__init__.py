"""ReQAP."""
