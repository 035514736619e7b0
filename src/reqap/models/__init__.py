"""Models that others run: behind small interfaces, so that tests and users can bring their own."""
