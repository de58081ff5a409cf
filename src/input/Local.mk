# Files of src/input
