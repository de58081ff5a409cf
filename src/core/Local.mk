# Files of src/core: one a line, sorted
noinst_LIBRARIES += src/core/libcore.a
src_core_libcore_a_SOURCES = \
	src/core/dataset.c \
	src/core/dataset.h \
	src/core/dataset_csv.c \
	src/core/dataset_idx.c \
	src/core/dataset_libsvm.c \
	src/core/dataset_rows.c \
	src/core/dataset_rows.h \
	src/core/dataset_synthetic.c \
	src/core/dist.c \
	src/core/dist.h \
	src/core/dist_order.c \
	src/core/gunzip.c \
	src/core/gunzip.h \
	src/core/lines.c \
	src/core/lines.h \
	src/core/model.c \
	src/core/model.h \
	src/core/newton.c \
	src/core/newton.h \
	src/core/number.c \
	src/core/number.h \
	src/core/optimum.c \
	src/core/partition.c \
	src/core/partition.h \
	src/core/random.c \
	src/core/random.h
