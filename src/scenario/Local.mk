# Files of src/scenario
