"""Linux seccomp: system calls that the kernel refuses this process and all that it starts.

    forbid(network=False)        # True where the kernel could

What Landlock leaves open is asking somebody else: a container service, a session bus or a cluster that opens
a file for whoever connects. So no local socket can be made, without `network` no socket at all, and the calls
that look into other processes, change namespaces or reach around files (io_uring, bpf, file handles) fail
with EPERM. So do those that Landlock does not know and that harm or tell of others: owners, modes, times and
attributes of files, shared memory and semaphores of System V, message queues, watching files (inotify),
limits and scheduling of other processes, the machine's clock and name. It holds for all threads. x86-64 and
ARM64.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

_LOCAL, _VSOCK = 1, 40
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000
_NO_NEW_PRIVS, _FILTER, _ALL_THREADS = 38, 1, 1

# architecture's number, seccomp, socket, and: ptrace process_vm_readv process_vm_writev bpf perf_event_open
# userfaultfd keyctl add_key request_key mount umount2 pivot_root chroot setns unshare open_by_handle_at
# kexec_load init_module finit_module kcmp
_MACHINES = {
    "x86_64": (0xC000003E, 317, 41, (101, 310, 311, 321, 298, 323, 250, 248, 249, 165, 166, 155, 161, 308,
                                     272, 304, 246, 175, 313, 312)),
    "aarch64": (0xC00000B7, 277, 198, (117, 270, 271, 280, 241, 282, 219, 217, 218, 40, 39, 41, 51, 268,
                                       97, 265, 104, 105, 273, 272)),
}  # fmt: skip
# Besides: chmod fchmod chown fchown lchown fchownat fchmodat; setxattr lsetxattr fsetxattr removexattr
# lremovexattr fremovexattr; utime utimes utimensat futimesat; shmget shmat shmctl semget semop semctl
# semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink; inotify_init inotify_init1 inotify_add_watch
# fanotify_init fanotify_mark; sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set
# migrate_pages move_pages; settimeofday adjtimex clock_settime clock_adjtime sethostname setdomainname
# reboot swapon swapoff acct syslog delete_module name_to_handle_at kexec_file_load quotactl vhangup
_SIDE_DOORS = {
    "x86_64": (
        90, 91, 92, 93, 94, 260, 268, 188, 189, 190, 197, 198, 199, 132, 235, 280, 261, 29,
        30, 31, 64, 65, 66, 220, 68, 69, 70, 71, 240, 241, 253, 294, 254, 300, 301, 144,
        142, 314, 141, 251, 256, 279, 164, 159, 227, 305, 170, 171, 169, 167, 168, 163, 103,
        176, 303, 320, 179, 153,
    ),
    "aarch64": (
        52, 53, 54, 55, 5, 6, 7, 14, 15, 16, 88, 194, 196, 195, 190, 193, 191, 192, 186,
        189, 188, 187, 180, 181, 26, 27, 262, 263, 119, 118, 274, 140, 30, 238, 239, 170,
        171, 112, 266, 161, 162, 142, 224, 225, 89, 116, 106, 264, 294, 60, 58,
    ),
}  # fmt: skip
# Whose first argument is a process, 0 for the caller: prlimit64 sched_setaffinity
_OF_OTHERS = {"x86_64": (302, 203), "aarch64": (261, 122)}
# io_uring_setup open_tree move_mount fsopen pidfd_getfd mount_setattr pidfd_send_signal process_madvise
# process_mrelease fchmodat2 setxattrat removexattrat
_EVERYWHERE = (425, 428, 429, 430, 438, 442, 424, 440, 448, 452, 463, 466)


def forbid(*, network: bool = True) -> bool:
    """Refuse those calls from here on; False where this kernel or machine has no such filter."""
    name = os.uname().machine if sys.platform == "linux" else ""
    machine = _MACHINES.get(name)
    if machine is None:
        return False
    refused = (*machine[3], *_SIDE_DOORS[name], *_EVERYWHERE)
    code = _program(machine[0], machine[2], refused, _OF_OTHERS[name], network)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    text = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text)))
    done: int = libc.syscall(machine[1], ctypes.c_size_t(_FILTER), ctypes.c_size_t(_ALL_THREADS), header)
    return done == 0


def _program(
    architecture: int, socket: int, refused: tuple[int, ...], of_others: tuple[int, ...], network: bool
) -> bytes:
    """The filter in BPF: one test after the other; the first that fits decides."""
    rows = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),  # another architecture has other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_ANY_BIT, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    for number in refused:
        rows += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _REFUSE)]
    for number in of_others:
        rows += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_EQUAL, 1, 0, 0)]
        rows += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    families = (_LOCAL, _VSOCK)
    rows += [(_EQUAL, 0, 2 + 2 * len(families) if network else 1, socket)]
    if network:
        rows += [(_LOAD, 0, 0, _FIRST_ARGUMENT)]
        for family in families:
            rows += [(_EQUAL, 0, 1, family), (_RETURN, 0, 0, _REFUSE)]
        rows += [(_RETURN, 0, 0, _ALLOW)]
    else:
        rows += [(_RETURN, 0, 0, _REFUSE)]
    rows += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *row) for row in rows)
