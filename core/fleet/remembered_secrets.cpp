#include "core/fleet/remembered_secrets.h"

#include <map>
#include <mutex>
#include <string>

namespace kernelscape::fleet {
namespace {

struct Remembered {
  std::mutex mutex;
  std::map<std::string, SecretFiles> files;  ///< by the text of the address

  static Remembered& of_process() {
    static Remembered remembered;
    return remembered;
  }
};

}  // namespace

void remember_secret_files(const RedisAddress& address, const SecretFiles& files) {
  Remembered& remembered = Remembered::of_process();
  const std::scoped_lock lock(remembered.mutex);
  remembered.files[address.text()] = files;
}

SecretFiles remembered_secret_files(const RedisAddress& address) {
  Remembered& remembered = Remembered::of_process();
  const std::scoped_lock lock(remembered.mutex);
  const auto found = remembered.files.find(address.text());
  return found != remembered.files.end() ? found->second : SecretFiles();
}

}  // namespace kernelscape::fleet
