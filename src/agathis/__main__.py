"""``python -m agathis`` is the command ``agathis``."""

from agathis._cli import main

if __name__ == "__main__":
    main()
