# Files of tests/scenario
