"""`reqap serve`: the page. A thin server in front of one worker process that holds life and models.

The server knows HTTP and HTML only; whatever touches data is done by the worker (`service`), so
that nothing that goes wrong there takes the page down.
"""
