noinst_LIBRARIES += src/net/libnet.a
src_net_libnet_a_SOURCES = \
	src/net/address.c \
	src/net/conn.c src/net/conn.h src/net/conn_private.h \
	src/net/conn_input.c \
	src/net/conn_output.c \
	src/net/digest.c src/net/digest.h \
	src/net/frame.c src/net/frame_private.h \
	src/net/inbox.c src/net/inbox.h \
	src/net/identity.c src/net/identity_private.h \
	src/net/listener.c \
	src/net/loop.c src/net/loop_private.h \
	src/net/net.h \
	src/net/pki.c \
	src/net/queue.c src/net/queue.h \
	src/net/tls_reason.c src/net/tls_reason.h \
	src/net/transport.c src/net/transport.h
