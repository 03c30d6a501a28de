#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>

#include "core/base/output_file.h"
#include "core/base/random.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::base_output_file_test {
namespace fs = std::filesystem;

namespace {

const std::string database_text = std::string("SQLite format 3\0", 16) + std::string(84, '\1');
const std::string recording_text = std::string("KSREC\0\0\1", 8) + "trials";
constexpr const char* own_text = "own table\n1,2\n";
constexpr const char* new_text = "own table\n3,4\n";
constexpr const char* foreign_text = "int main(void) { return 0; }\n";

base::OutputKind own_kind() {
  return {.name = "table of a test",
          .recognises_own = [](std::string_view head) { return head.starts_with("own table\n"); }};
}

base::OutputKind recording_kind() {
  return {.name = "recorded space",
          .recognises_own = [](std::string_view head) { return head.starts_with("KSREC"); },
          .recording = true};
}

void put(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

std::optional<std::string> content(const fs::path& path) {
  if (!fs::exists(path)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

/** What users save: what it replaces, and what it leaves alone whatever name leads there. */
class BaseOutputFileTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;

  fs::path root() const { return folder_->path().toStdString(); }
  fs::path path(const std::string& name) const { return root() / "chosen" / name; }
  fs::path elsewhere(const std::string& name) const { return root() / "elsewhere" / name; }
  QStringList entries() const {
    return QDir(folder_->path() + "/chosen")
        .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
  }
  /** Writes the new text; what check_output() says before has to agree. */
  Status write(const fs::path& to, bool force = false, std::vector<fs::path> sources = {}) const {
    base::OutputRequest request{
        .path = to, .kind = own_kind(), .force = force, .sources = std::move(sources)};
    const Status checked = base::check_output(request);
    const Status written = base::write_output(std::move(request), new_text);
    // What only writing shows, as a full disk, is not known before.
    if (!checked && (written || written.error() != checked.error()))
      return fail(ErrorCode::Internal, "they disagree");
    return written;
  }
  static bool is(const Status& status, ErrorCode code) {
    return !status && status.error().code == code && !status.error().hint.empty();
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    fs::create_directories(path("").parent_path());
    fs::create_directories(elsewhere("").parent_path());
  }

  void what_is_ours_is_replaced() {
    QVERIFY(write(path("new")));
    QCOMPARE(content(path("new")), std::optional<std::string>(new_text));
    put(path("old"), own_text);
    put(path("empty"), "");
    for (const char* name : {"old", "empty"}) {
      QVERIFY(write(path(name)));
      QCOMPARE(content(path(name)), std::optional<std::string>(new_text));
    }
    QCOMPARE(entries(), QStringList({"empty", "new", "old"}));
  }

  void what_is_foreign_needs_force() {
    put(path("main.c"), foreign_text);
    const Status refused = write(path("main.c"));
    QVERIFY(is(refused, ErrorCode::Occupied));
    for (const std::string& said :
         {path("main.c").string(), std::string("table of a test"), std::string("int main")})
      QVERIFY2(refused.error().message.contains(said), refused.error().message.c_str());
    QVERIFY(refused.error().hint.contains("--force"));
    QCOMPARE(content(path("main.c")), std::optional<std::string>(foreign_text));
    QVERIFY(write(path("main.c"), true));
    QCOMPARE(content(path("main.c")), std::optional<std::string>(new_text));
  }

  void messages_quote_a_line_at_most() {
    put(path("strange"), "\x1b[2Jone\a" + std::string(100'000, 'x') + "\nsecond");
    const std::string message = write(path("strange")).error().message;
    QVERIFY2(message.size() < path("strange").string().size() + 200, message.c_str());
    QVERIFY(std::ranges::none_of(message, [](char c) { return c < ' '; }));
  }

  void a_database_stays() {
    put(path("e.db"), database_text);
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
      for (const bool force : {false, true})
        QVERIFY2(is(write(path(std::string("e.db") + suffix), force), ErrorCode::Refused), suffix);
    put(path("e.db-wal"), "anything");
    fs::create_hard_link(path("e.db"), path("table.csv"));
    fs::create_symlink("e.db", path("link.csv"));
    for (const char* name : {"e.db", "e.db-wal", "table.csv", "link.csv"})
      QVERIFY2(is(write(path(name), true), ErrorCode::Refused), name);
    QCOMPARE(content(path("e.db")), std::optional<std::string>(database_text));
    QCOMPARE(content(path("e.db-wal")), std::optional<std::string>("anything"));
  }

  void a_log_without_its_database_stays() {
    put(path("log"), std::string("\x37\x7f\x06\x82", 4) + "pages");
    put(path("journal"), std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8));
    put(path("fresh.db"), "");
    put(path("fresh.db-wal"), "pages");
    for (const char* name : {"log", "journal", "fresh.db"})
      QVERIFY2(is(write(path(name), true), ErrorCode::Refused), name);
  }

  void a_source_stays_under_any_name() {
    put(path("source"), own_text);
    put(path("source-wal"), own_text);
    fs::create_hard_link(path("source"), path("other"));
    fs::create_hard_link(path("source-wal"), path("log"));
    fs::create_symlink("source", path("link"));
    fs::create_directory_symlink("chosen", root() / "same");
    for (const fs::path& name : {path("source"), path("other"), path("link"), path("source-wal"), path("log"),
                                 root() / "same" / "source", root() / "chosen" / ".." / "chosen" / "source"})
      for (const bool force : {false, true})
        QVERIFY2(is(write(name, force, {path("source")}), ErrorCode::Refused), name.c_str());
    QCOMPARE(content(path("source")), std::optional<std::string>(own_text));
    QVERIFY(write(path("other")));
    QCOMPARE(content(path("source")), std::optional<std::string>(own_text));
  }

  /** SQLite's locks end where any descriptor of the file is closed. */
  void an_open_database_keeps_its_locks() {
    put(path("e.db"), database_text);
    const int file = open(path("e.db").c_str(), O_RDWR | O_CLOEXEC);
    QVERIFY(file >= 0);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    QCOMPARE(fcntl(file, F_SETLK, &lock), 0);
    QVERIFY(is(write(path("e.db"), true), ErrorCode::Refused));
    QVERIFY(is(write(path("e.db-wal"), true), ErrorCode::Refused));
    const pid_t child = fork();
    if (child == 0) {
      const int again = open(path("e.db").c_str(), O_RDWR | O_CLOEXEC);
      _exit(fcntl(again, F_SETLK, &lock) == -1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the lock is gone");
    close(file);
  }

  void recorded_spaces_are_measurements() {
    put(path("a.ksrec"), recording_text);
    for (const bool force : {false, true}) QVERIFY(is(write(path("a.ksrec"), force), ErrorCode::Refused));
    base::OutputRequest request{.path = path("a.ksrec"), .kind = recording_kind()};
    QVERIFY(is(base::write_output(request, recording_text + "more"), ErrorCode::Occupied));
    QCOMPARE(content(path("a.ksrec")), std::optional<std::string>(recording_text));
    request.force = true;
    QVERIFY(base::write_output(request, recording_text + "more"));
    QCOMPARE(content(path("a.ksrec")), std::optional<std::string>(recording_text + "more"));
  }

  void links_stay_in_their_folder() {
    put(elsewhere("file"), own_text);
    put(path("file"), own_text);
    fs::create_symlink(elsewhere("file"), path("out"));
    fs::create_symlink("../elsewhere/file", path("relative"));
    fs::create_symlink("../elsewhere/none", path("dangling"));
    fs::create_symlink("out", path("twice"));
    fs::create_symlink("loop", path("loop"));
    for (const char* name : {"out", "relative", "dangling", "twice", "loop"})
      for (const bool force : {false, true}) QVERIFY2(!write(path(name), force), name);
    QVERIFY(is(write(path("out"), true), ErrorCode::Refused));
    QCOMPARE(content(elsewhere("file")), std::optional<std::string>(own_text));
    QVERIFY(!fs::exists(elsewhere("none")));

    fs::create_symlink("file", path("link"));
    fs::create_symlink(path("file"), path("absolute"));
    fs::create_symlink("../chosen/file", path("around"));
    fs::create_symlink("link", path("chain"));
    for (const char* name : {"link", "absolute", "around", "chain"}) {
      put(path("file"), own_text);
      QVERIFY2(write(path(name)), name);
      QVERIFY(fs::is_symlink(path(name)));
      QCOMPARE(content(path("file")), std::optional<std::string>(new_text));
    }
    fs::create_symlink("made", path("to nothing"));
    QVERIFY(write(path("to nothing")));
    QCOMPARE(content(path("made")), std::optional<std::string>(new_text));
  }

  /** What comes into the place between the two looks is not lost either. */
  void what_appears_meanwhile_stays() {
    put(elsewhere("file"), foreign_text);
    const std::array<void (*)(const BaseOutputFileTest&), 3> others{
        [](const BaseOutputFileTest& test) {
          fs::create_symlink(test.elsewhere("file"), test.path("place"));
        },
        [](const BaseOutputFileTest& test) { put(test.path("place"), foreign_text); },
        [](const BaseOutputFileTest& test) { put(test.path("place"), database_text); }};
    for (const bool earlier : {false, true}) {
      for (const auto& appear : others) {
        fs::remove(path("place"));
        if (earlier) put(path("place"), own_text);
        Result<base::OutputFile> file = base::OutputFile::create({.path = path("place"), .kind = own_kind()});
        QVERIFY(file.has_value());
        QVERIFY(file->write(new_text));
        fs::remove(path("place"));
        appear(*this);
        const auto before = content(path("place"));
        const bool link = fs::is_symlink(path("place"));
        QVERIFY(!file->commit());
        QCOMPARE(content(path("place")), before);
        QCOMPARE(fs::is_symlink(path("place")), link);
      }
    }
    QCOMPARE(content(elsewhere("file")), std::optional<std::string>(foreign_text));
    QCOMPARE(entries(), QStringList{"place"});
  }

  void a_folder_that_is_exchanged_leads_nowhere() {
    Result<base::OutputFile> file = base::OutputFile::create({.path = path("place"), .kind = own_kind()});
    QVERIFY(file.has_value());
    QVERIFY(file->write(new_text));
    fs::rename(root() / "chosen", root() / "moved");
    fs::create_directory_symlink("elsewhere", root() / "chosen");
    QVERIFY(file->commit());
    QVERIFY(!fs::exists(elsewhere("place")));
    QCOMPARE(content(root() / "moved" / "place"), std::optional<std::string>(new_text));
  }

  void in_a_folder_nothing_is_followed() {
    put(path("file"), own_text);
    fs::create_symlink("file", path("link"));
    fs::create_symlink("/dev/null", path("null"));
    const base::OpenFolder folder = base::OpenFolder::open(path("").parent_path()).value();
    for (const char* name : {"link", "null"}) {
      const base::OutputRequest request{.path = path(name), .kind = own_kind(), .force = true};
      QVERIFY2(!base::OutputFile::create_in(folder, name, request), name);
      QVERIFY(is(base::check_output_in(folder, name, request), ErrorCode::Refused));
    }
    QVERIFY(base::check_output_in(folder, "file", {.path = path("file"), .kind = own_kind()}));
  }

  void devices_and_pipes_are_written_directly() {
    QVERIFY(write("/dev/null"));
    QVERIFY(fs::is_character_file("/dev/null"));
    const Status full = base::write_output({.path = "/dev/full", .kind = own_kind()}, new_text);
    QVERIFY(is(full, ErrorCode::Environment));
    QVERIFY(full.error().hint.contains("free space"));

    QCOMPARE(mkfifo(path("pipe").c_str(), 0600), 0);
    const int pipe_end = open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
    QVERIFY(write(path("pipe")));
    std::array<char, 100> taken{};
    QCOMPARE(read(pipe_end, taken.data(), taken.size()),
             static_cast<ssize_t>(std::string_view(new_text).size()));
    QCOMPARE(std::string(taken.data()), std::string(new_text));
    close(pipe_end);
  }

  /** As the shell's >(...) names them; /dev/stdout is one. */
  void descriptors_that_were_given() {
    for (const char* name : {"/dev/fd/", "/proc/self/fd/"}) {
      put(path("given"), "before\n");
      // Not to be closed by exec, as all that a program is given.
      const int given = open(path("given").c_str(), O_WRONLY | O_APPEND);
      QVERIFY(write(name + std::to_string(given)));
      QCOMPARE(content(path("given")), std::optional<std::string>(std::string("before\n") + new_text));
      QVERIFY(fcntl(given, F_GETFD) >= 0);
      close(given);
    }
    QVERIFY(!write("/dev/fd/987654"));
  }

  /** A link that a stranger left where a file is to be written. */
  void links_lead_to_nothing_that_this_program_has_open() {
    put(path("ours"), "precious\n");
    const int ours = open(path("ours").c_str(), O_RDWR | O_CLOEXEC);
    fs::create_symlink("/proc/self/fd/" + std::to_string(ours), path("report"));
    fs::create_symlink("report", path("second"));
    fs::create_symlink("/dev/null", path("device"));
    for (const char* name : {"report", "second", "device"}) {
      for (const bool force : {false, true}) {
        const base::OutputRequest request{.path = path(name), .kind = own_kind(), .force = force};
        QVERIFY2(is(base::write_output(request, new_text), ErrorCode::Refused), name);
        QVERIFY2(is(base::check_output(request), ErrorCode::Refused), name);
      }
    }
    QVERIFY(!write("/dev/fd/" + std::to_string(ours)));
    QCOMPARE(content(path("ours")), std::optional<std::string>("precious\n"));
    close(ours);
  }

  void modes_stay_and_follow_the_mask() {
    put(path("old"), own_text);
    for (const mode_t mode : {0600U, 0644U, 0755U}) {
      chmod(path("old").c_str(), mode);
      QVERIFY(write(path("old")));
      struct stat state{};
      QCOMPARE(stat(path("old").c_str(), &state), 0);
      QCOMPARE(state.st_mode & 07777, mode);
    }
    const mode_t before = umask(027);
    const Status written = write(path("masked"));
    umask(before);
    QVERIFY(written);
    struct stat state{};
    QCOMPARE(stat(path("masked").c_str(), &state), 0);
    QCOMPARE(state.st_mode & 07777, mode_t{0640});
  }

  void without_commit_nothing_changes() {
    put(path("file"), own_text);
    {
      Result<base::OutputFile> file = base::OutputFile::create({.path = path("file"), .kind = own_kind()});
      QVERIFY(file && file->write(new_text));
    }
    QCOMPARE(content(path("file")), std::optional<std::string>(own_text));
    QCOMPARE(entries(), QStringList{"file"});
  }

  void unwritable_places_are_named() {
    put(path("file"), own_text);
    for (const fs::path& place : {path("no/such/folder"), path("file") / "below", root(), path(""),
                                  path(".."), fs::path("/proc/file"), fs::path("")}) {
      const Status written = write(place, true);
      QVERIFY2(!written, place.c_str());
      QVERIFY2(written.error().message.contains(place.string()), written.error().message.c_str());
      QVERIFY(!written.error().hint.empty());
    }
    QVERIFY(write(path(std::string(255, 'n'))));
    QVERIFY(!write(path(std::string(256, 'n'))));
  }

  /** All that there can be, through all ways to it, against what the contract says of them. */
  void random_places() {
    base::Random random(testing::random_seed());
    const std::array<std::string, 5> texts{"", own_text, foreign_text, database_text, recording_text};
    for (int i = 0; i < 300; ++i) {
      init();
      const std::size_t text = random.below(texts.size() + 1);
      const bool exists = text < texts.size();
      const bool outside = random.chance(0.3);
      const bool force = random.chance(0.5);
      const bool source = exists && random.chance(0.2);
      const fs::path victim = outside ? elsewhere("victim") : path("victim");
      if (exists) put(victim, texts[text]);
      const std::size_t way = random.below(exists ? 3 : 2);  // itself, symbolic link, hard link
      const fs::path named = way == 0 ? victim : path("named");
      if (way == 1) fs::create_symlink(victim, named);
      if (way == 2) fs::create_hard_link(victim, named);
      const Status written = write(named, force, source ? std::vector{victim} : std::vector<fs::path>());
      const bool never = text == 3 || text == 4 || source || (way == 1 && outside);
      const bool good = !never && (!exists || text <= 1 || force);
      const std::string what = "place " + std::to_string(i);
      QVERIFY2(written.has_value() == good, what.c_str());
      if (good) {
        QCOMPARE(content(named), std::optional<std::string>(new_text));
      } else {
        QCOMPARE(written.error().code, never ? ErrorCode::Refused : ErrorCode::Occupied);
      }
      // A hard link is a name of its own: what else has the old text keeps it.
      if (exists && (!good || way == 2)) QCOMPARE(content(victim), std::optional<std::string>(texts[text]));
      if (!exists && !good) QVERIFY(!fs::exists(victim));
    }
  }
};

KERNELSCAPE_TEST(BaseOutputFileTest, QCoreApplication)

}  // namespace kernelscape::base_output_file_test
#include "base_output_file_test.moc"
