noinst_LIBRARIES += src/results/libresults.a
src_results_libresults_a_SOURCES = \
	src/results/columns.c \
	src/results/manifest.c src/results/manifest.h \
	src/results/reader.c \
	src/results/results.h \
	src/results/rows.c \
	src/results/writer.c
