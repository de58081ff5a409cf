# Files of src/core
