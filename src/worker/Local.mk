# Files of src/worker
