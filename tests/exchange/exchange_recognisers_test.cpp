#include <QTest>
#include <map>

#include "core/exchange/kernels/kernel_library.h"
#include "tests/exchange/export_support.h"
#include "tests/exchange/stored_session.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_recognisers_test {
using namespace kernelscape::exchange_tests;

/** By what an export tells its own earlier files from everything else: only these are replaced unasked. */
class ExchangeRecognisersTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<StoredSessions> sessions_;
  store::SessionId session_ = 0;

  /** A session of a real template, so that every format can write it. */
  void add_session(base::Random& random, std::size_t trial_count) {
    exchange::MeasuredConfiguration measured =
        random_measured(task::parse_task("matmul 24x16 16x40 f32").value(), "", random);
    store::SessionRecord record = StoredSessions::record_of(measured.task, measured.target, measured.space);
    record.template_name = measured.template_name;
    record.template_version = measured.template_version;
    record.created_utc = "2026-01-02T03:04:05Z";
    std::vector<trial::Trial> trials;
    for (std::size_t i = 0; i < trial_count; ++i) {
      trial::Trial trial;
      trial.number = static_cast<std::int64_t>(i);
      trial.configuration = measured.configuration;
      trial.measurement.samples_seconds = {random.uniform() + 0.1};
      trial.finished_seconds = static_cast<double>(i + 1);
      trials.push_back(std::move(trial));
    }
    store::SessionStatus status;
    status.state = store::SessionState::Done;
    status.best_trial = 0;
    session_ = sessions_->add(record, status, trials);
  }

  Status write(const exchange::ExportFormat& format, const std::string& path, bool force = false) const {
    exchange::ExportRequest request{.store = sessions_->store(), .session = session_};
    if (format.one_trial) request.trial = 0;
    request.path = path;
    request.force = force;
    return exchange::export_session(format, request);
  }

  /** What each format writes: of a kernel's folder its manifest, which the folder is known by. */
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> files;
    for (const exchange::ExportFormat& format : exchange::export_formats()) {
      const std::string path = sessions_->path("file." + format.name);
      const Status written = write(format, path);
      if (!written) throw std::runtime_error(format.name + ": " + describe(written.error()));
      const std::string file = format.name == "kernel" ? path + "/kernelscape.json" : path;
      files[format.name] = text_of(QString::fromStdString(file));
    }
    return files;
  }

 private slots:
  void init() {
    sessions_ = std::make_unique<StoredSessions>();
    base::Random random(testing::random_seed());
    add_session(random, 5);
  }

  void everyFormatKnowsItsOwnFilesAndNoOthers() {
    const std::map<std::string, std::string> written = files();
    QCOMPARE(written.size(), exchange::export_formats().size());
    for (const exchange::ExportFormat& format : exchange::export_formats()) {
      for (const auto& [name, text] : written)
        QVERIFY2(format.recognises_own(text) == (name == format.name),
                 (format.name + " of a file of " + name).c_str());
    }
  }

  /** As OutputFile asks: of the beginning, and of files that were cut. */
  void noBeginningIsTakenForAnotherFormat() {
    for (const auto& [name, text] : files()) {
      for (std::size_t size = 0; size <= text.size(); size += 1 + size / 16)
        for (const exchange::ExportFormat& format : exchange::export_formats())
          if (format.name != name)
            QVERIFY2(!format.recognises_own(std::string_view(text).substr(0, size)),
                     (format.name + " of a file of " + name).c_str());
    }
  }

  void otherProgramsFilesAreForeign() {
    const std::string kernel_tuner =
        "{\n\"device_name\": \"NVIDIA A100\",\n\"kernel_name\": \"conv\",\n\"problem_size\": \"4096\",\n"
        "\"tune_params_keys\": [\"x\"],\n\"tune_params\": {\"x\": [1]},\n\"cache\": {\n\"1\": {\"x\": 1, "
        "\"time\": 1.5}}\n}";
    const std::string t4 =
        "{\"schema_version\": \"1.0.0\",\n\"metadata\": {\"timeunit\": \"milliseconds\"},\n\"results\": "
        "[]}\n";
    const std::string autotvm =
        "{\"input\": [\"cuda\", \"conv2d_nchw.cuda\", [], {}], \"config\": {\"index\": 1, \"code_hash\": "
        "null, "
        "\"entity\": []}, \"result\": [[0.1], 0, 1.0, 2.0], \"version\": 0.2, \"tvm_version\": \"0.8.0\"}\n";
    for (const std::string& text :
         {kernel_tuner, t4, autotvm, std::string("trial,notes\r\n1,mine\r\n"), std::string("trial,ms\n1,2\n"),
          std::string("tile_x,tile_y\r\n1,2\r\n"), std::string("/*\n * task mine\n */\nint main(void) {}\n"),
          std::string("{\"format\": \"kernelscape-other\"}"), std::string("{\n  \"name\": \"study\"\n}\n"),
          std::string("SQLite format 3\0", 16), std::string("\x89PNG\r\n\x1a\n"), std::string("%PDF-1.4\n"),
          std::string("\r\n"), std::string("{}"), std::string("[]"), std::string(1000, '\0')})
      for (const exchange::ExportFormat& format : exchange::export_formats())
        QVERIFY2(!format.recognises_own(text), (format.name + ": " + text).c_str());
  }

  void anotherFormatsFileIsReplacedOnlyByForce() {
    const std::map<std::string, std::string> written = files();
    for (const exchange::ExportFormat& format : exchange::export_formats()) {
      if (format.name == "kernel") continue;
      for (const auto& [name, text] : written) {
        const std::string path = sessions_->path("place");
        write_text(QString::fromStdString(path), text);
        const Status unasked = write(format, path);
        const bool recorded = name == "recorded";
        const bool free = name == format.name && !recorded;
        const std::string what = format.name + " over " + name;
        QVERIFY2(unasked.has_value() == free, what.c_str());
        const bool never = recorded && format.name != name;
        if (!free) {
          QCOMPARE(unasked.error().code, never ? ErrorCode::Refused : ErrorCode::Occupied);
          QCOMPARE(text_of(QString::fromStdString(path)), text);
        }
        QVERIFY2(write(format, path, true).has_value() == !never, what.c_str());
        if (!never) QVERIFY2(format.recognises_own(text_of(QString::fromStdString(path))), what.c_str());
      }
    }
  }

  void theDatabaseIsNeverAnExport() {
    const std::string database = sessions_->path("test.db");
    const std::string link = sessions_->path("link.csv");
    const std::string twin = sessions_->path("twin.csv");
    std::filesystem::create_symlink("test.db", link);
    std::filesystem::create_hard_link(database, twin);
    for (const exchange::ExportFormat& format : exchange::export_formats()) {
      if (format.name == "kernel") continue;
      for (const std::string& path : {database, link, twin, database + "-wal", database + "-shm"}) {
        const Status written = write(format, path, true);
        QVERIFY2(!written && written.error().code == ErrorCode::Refused, (format.name + " " + path).c_str());
      }
    }
    QCOMPARE(sessions_->store().sessions().get(session_)->status.trial_count, std::int64_t{5});
    QVERIFY(store::Store::open(database, store::OpenMode::ReadOnly)->sessions().get(session_).has_value());
  }

  /** Columns of knobs have any names: the same ones are known again. */
  void aTableOfKnobsReplacesItself() {
    const exchange::ExportFormat& csv = **exchange::find_export_format("csv");
    const std::string path = sessions_->path("knobs.csv");
    exchange::ExportRequest request{.store = sessions_->store(), .session = session_};
    request.path = path;
    const std::vector<space::Knob> knobs =
        space::space_from_json(sessions_->store().sessions().get(session_)->record.space_json)->knobs();
    request.columns = {knobs[0].name(), "ms"};
    QVERIFY(exchange::export_session(csv, request));
    QVERIFY(exchange::export_session(csv, request));
    request.columns = {knobs[1].name()};
    QCOMPARE(exchange::export_session(csv, request).error().code, ErrorCode::Occupied);
    request.columns = {"trial", "message"};
    request.path = sessions_->path("fixed.csv");
    QVERIFY(exchange::export_session(csv, request));
    request.columns = {"ms", "gflops", "build_log"};
    QVERIFY(exchange::export_session(csv, request));
  }

  void filesOfKernelsAreKnown() {
    base::Random random(testing::random_seed());
    const task::Task task = task::parse_task("matmul 24x16 16x40 f32").value();
    for (const schedule::TargetDescription& target : {this_machine(), schedule::default_cuda_target()}) {
      const exchange::ExportedKernel kernel =
          exported(random_measured(task, "", random, target), "some_kernel");
      const std::vector<exchange::ExportedFile> files =
          exchange::kernel_library_files({&kernel, 1}, "library").value();
      for (const exchange::ExportedFile& file : files) {
        QVERIFY2(exchange::is_own_kernel_file(file.name, file.text), file.name.c_str());
        for (const char* foreign :
             {"", "int main(void) {}\n", "# Mine\n",
              "cmake_minimum_required(VERSION 3.16)\nproject(mine C)\n", "/*\n * mine\n */\n", "{}"})
          QVERIFY2(!exchange::is_own_kernel_file(file.name, foreign), (file.name + ": " + foreign).c_str());
      }
    }
  }
};

KERNELSCAPE_TEST(ExchangeRecognisersTest, QCoreApplication)

}  // namespace kernelscape::exchange_recognisers_test
#include "exchange_recognisers_test.moc"
