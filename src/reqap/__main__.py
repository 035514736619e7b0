"""`python -m reqap` is `reqap`."""

from reqap.cli import main

if __name__ == "__main__":
    main()
