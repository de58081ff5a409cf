# Files of src/input
noinst_LIBRARIES += src/input/libinput.a
src_input_libinput_a_SOURCES = \
	src/input/input.c \
	src/input/input.h \
	src/input/read_file.c
