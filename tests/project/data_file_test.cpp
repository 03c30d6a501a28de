// Data files that a project refers to: their contents are no part of a session, but of what is trusted and
// run.
#include "core/project/data_file.h"

#include <QTest>
#include <algorithm>

#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/project/argument_contents.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"
#include "tests/verify_result.h"

namespace kernelscape::data_file_test {
using nlohmann::json;

namespace {

std::string random_bytes(base::Random& random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

/** A small project whose x is read from x.bin, and whose y is compared with y.bin. */
json project_with_files(const char* data_files) {
  json project = small_project();
  json& x = project["KernelSpecification"]["Arguments"][1];
  x["FillType"] = "BinaryRaw";
  x["DataSource"] = "x.bin";
  project["kernelscape"]["Reference"] = {{"Kind", "Files"}, {"Files", {{"y", "y.bin"}}}};
  project["kernelscape"]["DataFiles"] = data_files;
  return project;
}

/** The folder of such a project, with random contents. */
struct Files {
  base::Random random{testing::random_seed()};
  ProjectFolder folder;
  std::string x = random_bytes(random, 32);
  std::string y = random_bytes(random, 32);

  Files() {
    folder.write("kernel.c", small_kernel);
    folder.write("x.bin", x);
    folder.write("y.bin", y);
  }
};

}  // namespace

class DataFileTest final : public QObject {
  Q_OBJECT

 private slots:
  void contents_are_read_when_they_are_needed() {
    const Files files;
    const auto project = files.folder.read(project_with_files("Referenced"));
    VERIFY_RESULT(project);
    QVERIFY(std::ranges::none_of(project->notices,
                                 [](const std::string& notice) { return notice.contains("DataFiles"); }));
    QVERIFY(project::has_data_files(project->data));
    QVERIFY(project->data.arguments[1].fill.bytes.empty());
    const auto arguments = project::loaded_arguments(project->data);
    VERIFY_RESULT(arguments);
    std::vector<std::byte> filled(32);
    project::fill_argument(arguments->at(1), filled);
    QVERIFY(std::ranges::equal(filled, std::as_bytes(std::span(files.x))));
    const auto answer = project::loaded_answer(project->data);
    VERIFY_RESULT(answer);
    QCOMPARE(*answer, (std::vector<std::string>{files.y}));
  }

  /** What was stored gives the same arguments, the same reference and the same hash. */
  void a_stored_project_refers_to_its_files() {
    const Files files;
    const auto stored = files.folder.read(project_with_files("Stored"));
    const auto referring = files.folder.read(project_with_files("Referenced"));
    VERIFY_RESULT(stored);
    VERIFY_RESULT(referring);
    QVERIFY(!project::has_data_files(stored->data));
    QCOMPARE(project::content_hash(*referring), project::content_hash(*stored));
    QVERIFY(project::project_differences(*stored, *referring).empty());
    const std::string text = project::project_to_json(*referring);
    const json written = json::parse(text);
    QCOMPARE(written["version"].get<int>(), 3);
    QCOMPARE(written["arguments"][1]["fill"]["bytes"]["sha256"].get<std::string>(), base::sha256(files.x));
    QCOMPARE(json::parse(project::project_to_json(*stored))["version"].get<int>(), 1);
    const auto back = project::project_from_json(text);
    VERIFY_RESULT(back);
    QVERIFY(back->data == referring->data);
    QCOMPARE(project::project_to_json(*back), text);
    QCOMPARE(project::content_hash(*back), project::content_hash(*stored));
    const auto arguments = project::loaded_arguments(back->data);
    VERIFY_RESULT(arguments);
    QCOMPARE(arguments->at(1).fill.bytes, files.x);
    QVERIFY(*arguments == stored->data.arguments);
  }

  void other_contents_are_another_hash() {
    const Files files;
    const auto before = files.folder.read(project_with_files("Referenced"));
    std::string changed = files.x;
    changed[7] = static_cast<char>(changed[7] ^ 1);
    files.folder.write("x.bin", changed);
    const auto now = files.folder.read(project_with_files("Referenced"));
    QVERIFY(project::content_hash(*before) != project::content_hash(*now));
    QVERIFY(!project::project_differences(*before, *now).empty());
  }

  void a_file_that_has_changed_is_refused() {
    const Files files;
    const auto project = files.folder.read(project_with_files("Referenced"));
    std::string changed = files.x;
    changed[31] = static_cast<char>(changed[31] ^ 1);
    for (const std::string& contents : {changed, files.x + "1", std::string()}) {
      files.folder.write("x.bin", contents);
      const auto arguments = project::loaded_arguments(project->data);
      QVERIFY(!arguments);
      QCOMPARE(arguments.error().code, ErrorCode::Refused);
      QVERIFY(arguments.error().message.contains("x.bin"));
    }
    files.folder.write("x.bin", files.x);
    QVERIFY(project::loaded_arguments(project->data).has_value());
    std::filesystem::remove(files.folder.path() / "y.bin");
    const auto answer = project::loaded_answer(project->data);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, ErrorCode::NotFound);
    QVERIFY(answer.error().message.contains("y.bin"));
  }

  void files_are_as_large_as_their_arguments() {
    const Files files;
    files.folder.write("x.bin", files.x + "1");
    const auto project = files.folder.read(project_with_files("Referenced"));
    QVERIFY(!project);
    QVERIFY(describe(project.error()).contains("33 bytes"));
  }

  void files_outside_of_the_folder_need_consent() {
    const Files files;
    const ProjectFolder other;
    json project = project_with_files("Referenced");
    project["KernelSpecification"]["Arguments"][1]["DataSource"] = other.write("x.bin", files.x).string();
    const auto refused = files.folder.read(project);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Refused);
    VERIFY_RESULT(files.folder.read(project, true));
  }

  void arrays_of_numpy_and_other_words_are_refused() {
    const Files files;
    const auto other = files.folder.read(project_with_files("Elsewhere"));
    QVERIFY(!other);
    QVERIFY(describe(other.error()).contains("Stored or Referenced"));
    std::string numpy = "\x93NUMPY\x01";
    numpy.resize(32, '\0');
    files.folder.write("x.bin", numpy);
    const auto refused = files.folder.read(project_with_files("Referenced"));
    QVERIFY(!refused);
    QVERIFY(describe(refused.error()).contains("tofile()"));
  }

  /** The text of a database is untrusted. */
  void damaged_references_are_refused() {
    const Files files;
    const std::string text = project::project_to_json(*files.folder.read(project_with_files("Referenced")));
    const json good = json::parse(text);
    const auto refuses = [&](const char* member, const json& value) {
      json bad = good;
      bad["arguments"][1]["fill"]["bytes"][member] = value;
      const bool argument = !project::project_from_json(bad.dump());
      bad = good;
      bad["answer"]["bytes"][0][member] = value;
      return argument && !project::project_from_json(bad.dump());
    };
    QVERIFY(refuses("file", "x.bin"));
    QVERIFY(refuses("file", ""));
    QVERIFY(refuses("file", 3));
    QVERIFY(refuses("file", std::string("/x\0y", 4)));
    QVERIFY(refuses("bytes", 31));
    QVERIFY(refuses("bytes", -32));
    QVERIFY(refuses("bytes", "32"));
    QVERIFY(refuses("sha256", "abc"));
    QVERIFY(refuses("sha256", std::string(64, 'g')));
    json newer = good;
    newer["version"] = 4;
    QVERIFY(!project::project_from_json(newer.dump()));
  }
};

KERNELSCAPE_PLAIN_TEST(DataFileTest)

}  // namespace kernelscape::data_file_test
#include "data_file_test.moc"
