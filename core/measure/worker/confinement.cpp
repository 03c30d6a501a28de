#include "core/measure/worker/confinement.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "core/base/text.h"

namespace kernelscape::measure {
namespace {

// Calls that no compiler, kernel or driver needs: those on other processes' memory, the system's own state,
// and ways around the rules for sockets (io_uring makes sockets without a system call for each).
constexpr auto refused_to_all = std::to_array<long>({
#ifndef KERNELSCAPE_SANITIZED  // the leak checker uses it to stop the threads
    SYS_ptrace,
#endif
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_process_mrelease,
    SYS_pidfd_getfd,
    SYS_kcmp,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_open_by_handle_at,
    SYS_bpf,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_syslog,
    SYS_vhangup,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_kexec_file_load,
#endif
});

// Performance counters are only for kernels that are counted.
constexpr auto refused_without_counting = std::to_array<long>({SYS_perf_event_open});

// Calls whose effects outlive a kernel's process, reach another process, or change a file without opening it.
constexpr auto refused_to_kernel = std::to_array<long>({
    SYS_socket,
    SYS_socketpair,
    SYS_bind,
    SYS_connect,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_execve,
    SYS_execveat,
    SYS_setsid,
    SYS_setpgid,
    SYS_tkill,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semop,
    SYS_semtimedop,
    SYS_semctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_memfd_create,  // memory that no limit counts
    SYS_memfd_secret,
    SYS_name_to_handle_at,
    SYS_mkdirat,
    SYS_mknodat,
    SYS_unlinkat,
    SYS_renameat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_truncate,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
#if defined(__x86_64__)
    SYS_fork,
    SYS_vfork,
    SYS_creat,
    SYS_mkdir,
    SYS_mknod,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
});

// Their arguments are in memory, which a filter can't read: callers fall back to the calls that these
// replaced.
constexpr auto replaced_calls = std::to_array<long>({SYS_clone3, SYS_openat2});

constexpr std::uint32_t writing_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;

// Paths that a kernel may read: the libraries it is linked with, and the files in which the C library reads
// properties of the machine.
constexpr auto readable_places = std::to_array<const char*>(
    {"/usr", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store", "/proc", "/sys",
     "/etc/ld.so.cache", "/etc/ld.so.preload", "/dev/urandom", "/dev/random"});
constexpr auto bottomless_devices = std::to_array<const char*>({"/dev/null", "/dev/zero", "/dev/full"});

void refuse_leaving_the_group(SystemCallFilter& filter) {
  // A kernel or compiler is ended with its group, and with the process that started it.
  filter.refuse(std::to_array<long>({SYS_setsid, SYS_setpgid}));
  filter.refuse_if(SYS_prctl, 0, {PR_SET_PDEATHSIG});
}

SystemCallFilter filter_of_compiler() {
  SystemCallFilter filter;
  filter.refuse(refused_to_all);
  filter.refuse(refused_without_counting);
  filter.refuse(std::to_array<long>({SYS_socket}));
  refuse_leaving_the_group(filter);
  return filter;
}

SystemCallFilter filter_of_program(bool network) {
  SystemCallFilter filter;
  filter.refuse(refused_to_all);
  filter.refuse(refused_without_counting);
  if (!network) filter.refuse(std::to_array<long>({SYS_socket}));
  // Ninja and shells make groups of their own. What a program leaves behind is found by its session.
  filter.refuse(std::to_array<long>({SYS_setsid}));
  filter.refuse_if(SYS_prctl, 0, {PR_SET_PDEATHSIG});
  return filter;
}

SystemCallFilter filter_of_driver() {
  SystemCallFilter filter;
  filter.refuse(refused_to_all);
  filter.refuse(refused_without_counting);
  filter.refuse_unless(SYS_socket, 0, {AF_UNIX, AF_NETLINK});
  return filter;
}

SystemCallFilter filter_of_kernel(bool counted) {
  constexpr long latest_known = 450;  // Linux 5.17; both architectures have the same numbers from 424 on
  SystemCallFilter filter;
  filter.refuse_beyond(latest_known);
  std::vector<long> refused(refused_to_all.begin(), refused_to_all.end());
  refused.insert(refused.end(), refused_to_kernel.begin(), refused_to_kernel.end());
  if (!counted)
    refused.insert(refused.end(), refused_without_counting.begin(), refused_without_counting.end());
  filter.refuse(refused);
  filter.refuse(replaced_calls, ENOSYS);
  filter.refuse_if(SYS_prctl, 0, {PR_SET_PDEATHSIG});
  filter.refuse_without_bits(SYS_clone, 0, CLONE_THREAD);
  for (const long call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
    filter.refuse_other_processes(call, 0, /*zero=*/false);
  for (const long call : {SYS_prlimit64, SYS_sched_setaffinity})
    filter.refuse_other_processes(call, 0, /*zero=*/true);
  filter.refuse_if(SYS_fcntl, 1, {F_SETOWN, F_SETOWN_EX, F_SETSIG});  // another way to send signals
  filter.refuse_with_bits(SYS_openat, 2, writing_flags);
#if defined(__x86_64__)
  filter.refuse_with_bits(SYS_open, 1, writing_flags);
#endif
  return filter;
}

LandlockRules files_of_compiler(const std::string& folder) {
  LandlockRules rules(/*reading=*/false);
  rules.allow(folder, FileAccess::Change);
  for (const char* device : bottomless_devices) rules.allow(device, FileAccess::WriteDevice);
  return rules;
}

/** Allows reading the files that every program needs. */
void allow_system_files(LandlockRules& rules) {
  for (const char* place : readable_places) rules.allow(place, FileAccess::Read);
  for (const char* device : bottomless_devices) rules.allow(device, FileAccess::WriteDevice);
}

LandlockRules files_of_program(const std::string& folder, const ProgramAccess& allowed) {
  LandlockRules rules(/*reading=*/true, allowed.network);
  allow_system_files(rules);
  rules.allow("/etc", FileAccess::Read);
  rules.allow("/bin", FileAccess::Read);
  rules.allow("/sbin", FileAccess::Read);
  rules.allow(folder, FileAccess::Change);
  // The target of /etc/resolv.conf where systemd resolves names.
  if (allowed.network) rules.allow("/run/systemd/resolve", FileAccess::Read);
  for (const std::string& path : allowed.read) rules.allow(path, FileAccess::Read);
  for (const std::string& path : allowed.write) rules.allow(path, FileAccess::Change);
  return rules;
}

LandlockRules files_of_kernel() {
  LandlockRules rules(/*reading=*/true);
  allow_system_files(rules);
  // Folders in which the loader finds the libraries of a compiler that is not the system's.
  if (const char* folders = std::getenv("LD_LIBRARY_PATH"); folders != nullptr) {
    for (const std::string& folder : base::split_text(folders, ':'))
      if (folder.starts_with('/')) rules.allow(folder, FileAccess::Read);
  }
  return rules;
}

/**
 * Drops all capabilities of the process except those in `kept`.
 * @param kept one bit for each capability to keep, if the process has it
 */
void drop_capabilities(std::uint64_t kept) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> capabilities{};
  if (kept != 0) syscall(SYS_capget, &header, capabilities.data());
  for (std::size_t i = 0; i < capabilities.size(); ++i) {
    const auto mask = static_cast<std::uint32_t>(kept >> (32 * i));
    capabilities[i].permitted &= mask;
    capabilities[i].effective = capabilities[i].permitted;
    capabilities[i].inheritable = 0;
  }
  syscall(SYS_capset, &header, capabilities.data());
}

}  // namespace

ConfinementSupport confinement_support() {
  const char* choice = std::getenv("KERNELSCAPE_CONFINEMENT");
  if (choice != nullptr && std::string_view(choice) == "off") return {.switched_off = true};
  return {.switched_off = false,
          .system_calls = SystemCallFilter::supported(),
          .landlock_version = LandlockRules::system_version()};
}

std::vector<std::string> refused_to_kernels(const ConfinementSupport& support) {
  std::vector<std::string> refused;
  if (support.system_calls) refused = {"use the network", "start or reach other processes"};
  if (support.system_calls || support.landlock_version > 0) refused.emplace_back("write files");
  if (support.landlock_version > 0) refused.emplace_back("read files other than the system's");
  return refused;
}

Confinement Confinement::of_compiler(const std::string& folder) {
  const ConfinementSupport support = confinement_support();
  Confinement confinement;
  if (support.system_calls) confinement.system_calls_ = filter_of_compiler();
  if (support.landlock_version > 0) confinement.files_ = files_of_compiler(folder);
  return confinement;
}

Confinement Confinement::of_program(const std::string& folder, const ProgramAccess& allowed) {
  const ConfinementSupport support = confinement_support();
  Confinement confinement;
  confinement.without_capabilities_ = !support.switched_off;
  if (support.system_calls) confinement.system_calls_ = filter_of_program(allowed.network);
  if (support.landlock_version > 0) confinement.files_ = files_of_program(folder, allowed);
  return confinement;
}

Confinement Confinement::of_kernel() { return of_kernel(Counting::Refused); }

Confinement Confinement::of_counted_kernel() { return of_kernel(Counting::Allowed); }

Confinement Confinement::of_kernel(Counting counting) {
  const ConfinementSupport support = confinement_support();
  Confinement confinement;
  confinement.without_capabilities_ = !support.switched_off;
  confinement.keeps_counting_ = counting == Counting::Allowed;
  if (support.system_calls) confinement.system_calls_ = filter_of_kernel(confinement.keeps_counting_);
  if (support.landlock_version > 0) confinement.files_ = files_of_kernel();
  return confinement;
}

Confinement Confinement::of_driver() {
  Confinement confinement;
  if (confinement_support().system_calls) confinement.system_calls_ = filter_of_driver();
  return confinement;
}

void Confinement::apply() {
  constexpr std::uint64_t counting = std::uint64_t{1} << CAP_PERFMON;
  if (without_capabilities_) drop_capabilities(keeps_counting_ ? counting : 0);
  if (files_) files_->restrict_self();
  if (system_calls_) system_calls_->install();
}

}  // namespace kernelscape::measure
