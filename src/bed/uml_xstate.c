/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loaded into linux.uml before it starts (LD_PRELOAD; guest.c). That kernel keeps the floating-point registers of its
 * processes in a buffer as large as AVX-512 needs. Where the processor has more (AMX), the host's kernel takes only the
 * whole set back (EFAULT otherwise) and no process of the guest can run: so what the buffer lacks is put behind it as
 * the host has it. Elsewhere nothing is changed. Not part of any program. */
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WHOLE_MAX = 65536 };

/* The guest's registers, then those that it does not know of; larger than any processor's set. One thread traces. */
static char whole[WHOLE_MAX] __attribute__((aligned(64)));

/* false: the buffer holds all there is, or what there is cannot be told. */
static int complete(pid_t pid, void *kind, const struct iovec *asked, struct iovec *full)
{
    static int is_enough;
    *full = (struct iovec){whole, sizeof whole};
    if (is_enough || syscall(SYS_ptrace, PTRACE_GETREGSET, pid, kind, full) != 0)
        return 0;
    if (full->iov_len <= asked->iov_len) {
        is_enough = 1; /* the same in every process */
        return 0;
    }
    memcpy(whole, asked->iov_base, asked->iov_len);
    return 1;
}

/* The kernel's own call hands a word back through a pointer; the C library's is asked for it as a result. */
static int is_peek(long request)
{
    return request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA || request == PTRACE_PEEKUSER;
}

long ptrace(enum __ptrace_request request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    pid_t pid = va_arg(arguments, pid_t);
    void *address = va_arg(arguments, void *), *data = va_arg(arguments, void *);
    va_end(arguments);
    struct iovec full;
    if (request == PTRACE_SETREGSET && (long)address == NT_X86_XSTATE && complete(pid, address, data, &full))
        return syscall(SYS_ptrace, request, pid, address, &full);
    if (!is_peek(request))
        return syscall(SYS_ptrace, request, pid, address, data);
    long word = 0, status = syscall(SYS_ptrace, request, pid, address, &word);
    return status < 0 ? status : word;
}
