#include "core/measure/worker/landlock_rules.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstddef>

namespace kernelscape::measure {
namespace {

// Called by number: the headers at build time may be older than the system on which the program runs.
namespace right {
constexpr std::uint64_t write_file = 1U << 1;
constexpr std::uint64_t read_file = 1U << 2;
constexpr std::uint64_t read_folder = 1U << 3;
constexpr std::uint64_t make_and_remove = 0x1ff0;  // all kinds of files: bits 4 to 12
constexpr std::uint64_t move_between_folders = 1U << 13;
constexpr std::uint64_t truncate_file = 1U << 14;
constexpr std::uint64_t control_device = 1U << 15;
constexpr std::uint64_t bind_and_connect_tcp = 3;
constexpr std::uint64_t abstract_sockets_and_signals = 3;
}  // namespace right

constexpr int version_with_moves = 2;
constexpr int version_with_truncation = 3;
constexpr int version_with_network = 4;
constexpr int version_with_devices = 5;
constexpr int version_with_scopes = 6;

/** The struct landlock_ruleset_attr of version 6; earlier versions have only its first members. */
struct Ruleset {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scopes = 0;
};

std::size_t known_bytes(int version) {
  if (version < version_with_network) return offsetof(Ruleset, network);
  return version < version_with_scopes ? offsetof(Ruleset, scopes) : sizeof(Ruleset);
}

Ruleset refused_at(int version, bool reading) {
  Ruleset ruleset{.files = right::write_file | right::make_and_remove};
  if (reading) ruleset.files |= right::read_file | right::read_folder;
  if (version >= version_with_moves) ruleset.files |= right::move_between_folders;
  if (version >= version_with_truncation) ruleset.files |= right::truncate_file;
  if (version >= version_with_devices && reading) ruleset.files |= right::control_device;
  if (version >= version_with_network) ruleset.network = right::bind_and_connect_tcp;
  if (version >= version_with_scopes) ruleset.scopes = right::abstract_sockets_and_signals;
  return ruleset;
}

/** Returns the rights of a rule; for a file only those that it can have, or the system refuses the rule. */
std::uint64_t rights_of(FileAccess access, bool folder) {
  switch (access) {
    case FileAccess::Read:
      return folder ? right::read_file | right::read_folder : right::read_file;
    case FileAccess::WriteDevice:
      return right::read_file | right::write_file | right::truncate_file;
    case FileAccess::Change:
      break;
  }
  const std::uint64_t of_file =
      right::read_file | right::write_file | right::truncate_file | right::control_device;
  if (!folder) return of_file;
  return of_file | right::read_folder | right::make_and_remove | right::move_between_folders;
}

}  // namespace

LandlockRules::LandlockRules(bool reading, bool network) {
  const int version = system_version();
  if (version < 1) return;
  Ruleset ruleset = refused_at(version, reading);
  if (network) ruleset.network = 0;
  rules_ =
      UniqueFd(static_cast<int>(syscall(SYS_landlock_create_ruleset, &ruleset, known_bytes(version), 0)));
  handled_ = ruleset.files;
}

void LandlockRules::allow(const std::string& path, FileAccess access) {
  if (!rules_.valid()) return;
  const UniqueFd place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat state{};
  if (!place.valid() || fstat(place.get(), &state) != 0) return;
  // A kind of access that is not handled is allowed without a rule, and must not occur in a rule.
  const landlock_path_beneath_attr rule{
      .allowed_access = rights_of(access, S_ISDIR(state.st_mode)) & handled_, .parent_fd = place.get()};
  if (rule.allowed_access == 0) return;
  syscall(SYS_landlock_add_rule, rules_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

bool LandlockRules::restrict_self() const {
  return rules_.valid() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, rules_.get(), 0) == 0;
}

int LandlockRules::system_version() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

}  // namespace kernelscape::measure
