"""How the models that we ship were made: `python -m reqap.train.<model>`."""
