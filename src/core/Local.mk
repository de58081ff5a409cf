# Files of src/core: one a line, sorted
noinst_LIBRARIES += src/core/libcore.a
src_core_libcore_a_SOURCES = \
	src/core/dataset.c \
	src/core/dataset.h \
	src/core/dataset_synthetic.c \
	src/core/dist.c \
	src/core/dist.h \
	src/core/dist_order.c \
	src/core/model.c \
	src/core/model.h \
	src/core/partition.c \
	src/core/partition.h \
	src/core/random.c \
	src/core/random.h
