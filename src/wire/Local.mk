# Files of src/wire
