noinst_LIBRARIES += src/wire/libwire.a
src_wire_libwire_a_SOURCES = \
	src/wire/codec.c src/wire/codec.h \
	src/wire/legality.c src/wire/legality.h \
	src/wire/message.h
