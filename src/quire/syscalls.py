"""The system calls that a process which meets hostile things may still make (Linux seccomp, an allow list).

    close()                     # reads hostile PDFs, runs foreign SQL: files, memory, threads
    close(processes=True)       # runs foreign code, which may start processes; they are closed as it is
    close(network=True)         # TCP and UDP besides; local sockets never

Whatever is not listed fails with EPERM: looking into other processes, new namespaces, io_uring, bpf, file
handles, owners and attributes of files, shared memory of System V, the machine's clock. Numbers that nobody
knew when this was written fail with ENOSYS, as on an older kernel, so that the C library takes its older way.
It holds for all threads and all children, needs no privilege and cannot be undone. x86-64 and ARM64. What a
call does with a path is Landlock's business (`quire_streams.wall.landlock`): files that the user may open
stay open here.

Standard library only: the judge of programs loads this file into other Pythons.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

# name:x86-64:ARM64, empty where the machine has no such call.
_ALWAYS = """
    read:0:63 pread64:17:67 readv:19:65 preadv:295:69 preadv2:327:286 write:1:64 pwrite64:18:68 writev:20:66
    pwritev:296:70 pwritev2:328:287 open:2: openat:257:56 openat2:437:437 creat:85: close:3:57
    close_range:436:436 lseek:8:62 stat:4: fstat:5:80 lstat:6: newfstatat:262:79 statx:332:291 access:21:
    faccessat:269:48 faccessat2:439:439 readlink:89: readlinkat:267:78 getdents:78: getdents64:217:61
    getcwd:79:17 chdir:80:49 fchdir:81:50 statfs:137:43 fstatfs:138:44 dup:32:23 dup2:33: dup3:292:24
    pipe:22: pipe2:293:59 fcntl:72:25 flock:73:32 fsync:74:82 fdatasync:75:83 sync_file_range:277:84
    ftruncate:77:46 truncate:76:45 fallocate:285:47 fadvise64:221:223 readahead:187:213
    copy_file_range:326:285 sendfile:40:71 rename:82: renameat:264:38 renameat2:316:276 mkdir:83:
    mkdirat:258:34 rmdir:84: unlink:87: unlinkat:263:35 umask:95:166
    mmap:9:222 munmap:11:215 mprotect:10:226 mremap:25:216 madvise:28:233 brk:12:214 msync:26:227
    mincore:27:232 mlock:149:228 mlock2:325:284 munlock:150:229 membarrier:324:283 mseal:462:462
    get_mempolicy:239:236 set_mempolicy:238:237 mbind:237:235
    clock_gettime:228:113 clock_getres:229:114 clock_nanosleep:230:115 nanosleep:35:101 gettimeofday:96:169
    time:201: times:100:153 getitimer:36:102 setitimer:38:103 alarm:37: pause:34: timer_create:222:107
    timer_settime:223:110 timer_gettime:224:108 timer_getoverrun:225:109 timer_delete:226:111
    timerfd_create:283:85 timerfd_settime:286:86 timerfd_gettime:287:87
    rt_sigaction:13:134 rt_sigprocmask:14:135 rt_sigreturn:15:139 rt_sigpending:127:136
    rt_sigsuspend:130:133 rt_sigtimedwait:128:137 sigaltstack:131:132 signalfd4:289:74
    restart_syscall:219:128
    getpid:39:172 getppid:110:173 gettid:186:178 getuid:102:174 geteuid:107:175 getgid:104:176
    getegid:108:177 getresuid:118:148 getresgid:120:150 getgroups:115:158 getpgid:121:155 getpgrp:111:
    getsid:124:156 getrlimit:97:163 setrlimit:160:164 getrusage:98:165 sysinfo:99:179 uname:63:160
    prctl:157:167 arch_prctl:158: set_tid_address:218:96 set_robust_list:273:99 get_robust_list:274:100
    rseq:334:293 futex:202:98 futex_waitv:449:449 futex_wake:454:454 futex_wait:455:455
    futex_requeue:456:456 sched_yield:24:124 sched_getaffinity:204:123 sched_getparam:143:121
    sched_getscheduler:145:120 sched_get_priority_max:146:125 sched_get_priority_min:147:126
    getpriority:140:141 getcpu:309:168 exit:60:93 exit_group:231:94 wait4:61:260 waitid:247:95
    getrandom:318:278 capget:125:90 seccomp:317:277 landlock_create_ruleset:444:444
    landlock_add_rule:445:445 landlock_restrict_self:446:446
    poll:7: ppoll:271:73 select:23: pselect6:270:72 epoll_create:213: epoll_create1:291:20 epoll_ctl:233:21
    epoll_wait:232: epoll_pwait:281:22 epoll_pwait2:441:441 eventfd:284: eventfd2:290:19
    getsockname:51:204 getpeername:52:205 getsockopt:55:209 setsockopt:54:208 recvfrom:45:207 recvmsg:47:212
    recvmmsg:299:243 sendto:44:206 sendmsg:46:211 sendmmsg:307:269 shutdown:48:210
"""
_NETWORK = """
    connect:42:203 bind:49:200 listen:50:201 accept:43:202 accept4:288:242
"""
_PROCESSES = """
    fork:57: vfork:58: execve:59:221 setsid:112:157 setpgid:109:154 kill:62:129 tkill:200:130 tgkill:234:131
"""
_OWN_FILES = """
    chmod:90: fchmod:91:52 fchmodat:268:53 fchmodat2:452:452 utime:132: utimes:235: utimensat:280:88
    futimesat:261: link:86: linkat:265:37 symlink:88: symlinkat:266:36
"""
_SOME = """
    socket:41:198 socketpair:53:199 ioctl:16:29 clone:56:220 clone3:435:435 kill:62:129 tgkill:234:131
    prlimit64:302:261 sched_setaffinity:203:122 setpriority:141:140
"""
_NEWEST = 469  # file_setattr: the last number that was looked at
_SECCOMP = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _EQUAL, _OVER, _AND, _RETURN = 0x20, 0x15, 0x25, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000
_NO_NEW_PRIVS, _FILTER, _ALL_THREADS = 38, 1, 1

_INTERNET = (2, 10, 16)  # AF_INET, AF_INET6, AF_NETLINK: the C library asks for addresses by it
_THREAD, _NAMESPACES = 0x00010000, 0x7E020080  # flags of clone
_TERMINALS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)  # asking and closing, never typing

# A test of one argument: its number, a mask, the value wanted.
_Test = tuple[int, int, int]
_ANY = 0xFFFFFFFF


def close(*, network: bool = False, processes: bool = False, own_files: bool = False) -> bool:
    """Allow nothing else from here on; False where this kernel or machine has no such filter.

    `own_files`: modes, times and links of files, for a process whose file system is its own.
    """
    name = os.uname().machine if sys.platform == "linux" else ""
    if name not in _SECCOMP:
        return False
    architecture, number = _SECCOMP[name]
    given = ((_ALWAYS, True), (_NETWORK, network), (_PROCESSES, processes), (_OWN_FILES, own_files))
    calls = [one for text, wanted in given if wanted for one in _numbers(text, name).values()]
    code = _program(architecture, calls, _tests(_numbers(_SOME, name), network, processes))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
    text = ctypes.create_string_buffer(code, len(code))
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text)))
    done: int = libc.syscall(number, ctypes.c_size_t(_FILTER), ctypes.c_size_t(_ALL_THREADS), header)
    return done == 0


def _numbers(text: str, machine: str) -> dict[str, int]:
    found = {}
    for entry in text.split():
        name, *numbers = entry.split(":")
        if number := numbers[0 if machine == "x86_64" else 1]:
            found[name] = int(number)
    return found


def _tests(known: dict[str, int], network: bool, processes: bool) -> list[tuple[int, list[_Test]]]:
    """The calls that some arguments are allowed for: each row is one way to be allowed."""
    me = os.getpid()
    rows: list[tuple[str, list[_Test]]] = [
        ("socketpair", [(1, 0xF, 1)]),  # streams: those cannot be turned to somebody else
        ("prlimit64", [(0, _ANY, 0)]),
        ("sched_setaffinity", [(0, _ANY, 0)]),
        ("setpriority", [(0, _ANY, 0), (1, _ANY, 0)]),
        ("clone", [(0, _NAMESPACES, 0)] if processes else [(0, _NAMESPACES | _THREAD, _THREAD)]),
        ("kill", [(0, _ANY, me)]),
        ("tgkill", [(0, _ANY, me)]),
        *(("ioctl", [(1, _ANY, request)]) for request in _TERMINALS),
    ]
    if network:
        rows += [("socket", [(0, _ANY, family)]) for family in _INTERNET]
    return [(known[name], tests) for name, tests in rows]


def _program(architecture: int, calls: list[int], tested: list[tuple[int, list[_Test]]]) -> bytes:
    """The filter in BPF: one test after the other; the first that fits decides."""
    refuse, unknown = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    rows = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, refuse),  # another architecture has other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    for number in dict.fromkeys(calls):
        rows += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for number, tests in tested:
        block = []
        for argument, mask, value in tests:
            block += [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), (_AND, 0, 0, mask), (_EQUAL, 0, -1, value)]
        block += [(_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, _NUMBER)]
        last = len(block) - 1  # where the number is loaded again for the tests that follow
        rows += [(_EQUAL, 0, len(block), number)]
        rows += [
            (code, yes, last - at - 1 if no < 0 else no, value)
            for at, (code, yes, no, value) in enumerate(block)
        ]
    # clone3 hides its flags behind a pointer; without it the C library calls clone.
    rows += [(_EQUAL, 0, 1, 435), (_RETURN, 0, 0, unknown)]
    rows += [(_OVER, 0, 2, _NEWEST), (_OVER, 1, 0, _X32 - 1), (_RETURN, 0, 0, unknown)]
    rows += [(_RETURN, 0, 0, refuse)]
    return b"".join(struct.pack("HBBI", *row) for row in rows)
