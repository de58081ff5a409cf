# Files of src/bed
