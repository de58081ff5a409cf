# Files of src/results
