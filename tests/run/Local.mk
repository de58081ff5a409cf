# Files of tests/run
