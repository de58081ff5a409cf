noinst_LIBRARIES += src/base/libbase.a
src_base_libbase_a_SOURCES = \
	src/base/clock.c src/base/clock.h src/base/compiler.h src/base/error.c src/base/error.h \
	src/base/log.c src/base/log.h src/base/mem.c src/base/mem.h
