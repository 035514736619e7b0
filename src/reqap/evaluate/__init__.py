"""How right answers are: metrics, oracles, and the checks that gold itself must pass."""
