#include <QTest>
#include <string>
#include <utility>
#include <vector>

#include "core/task/title.h"
#include "tests/test_program.h"

namespace kernelscape::task_title_test {

namespace {

std::string title_of_text(const char* text, std::string name = {}) {
  task::Task task = task::parse_task(text).value();
  if (!name.empty()) task.name = std::move(name);
  return task::task_title(task);
}

std::string title_of_log(const std::string& name, const std::string& arguments) {
  return task::task_title(task::make_generic_task({name + " " + arguments, "time", "s"}, name).value());
}

}  // namespace

/** Tasks are distinguished by their shapes. */
class TaskTitleTest : public QObject {
  Q_OBJECT

 private slots:
  void operators_say_their_shapes() {
    QCOMPARE(title_of_text("conv2d 1x64x56x56 64x64x3x3 stride=1 pad=1 f32"),
             std::string("conv2d 1x64x56x56 64x64x3x3 stride 1 pad 1"));
    QCOMPARE(title_of_text("conv2d 1x64x56x56 64x64x1x1 f16"),
             std::string("conv2d 1x64x56x56 64x64x1x1 stride 1 f16"));
    QCOMPARE(title_of_text("matmul 512x1024 1024x4096"), std::string("matmul 512x1024 1024x4096"));
    QCOMPARE(title_of_text("conv2d 1x64x56x56 64x64x3x3 pad=1", "resnet18/C2"), std::string("resnet18/C2"));
  }

  void logs_say_theirs() {
    const std::string tensors =
        R"([["TENSOR",[12,128,64],"float32"],["TENSOR",[12,32,64],"float32"],[1,1],"float32",null])";
    QCOMPARE(title_of_log("batch_matmul.cuda", tensors), std::string("batch_matmul 12x128x64 12x32x64 1x1"));
    QCOMPARE(title_of_log("mine", R"([["TENSOR",[8],"int8"],3])"), std::string("mine 8 int8 3"));
    QCOMPARE(title_of_log("mine", R"([["TENSOR",[8],"float32"]] winograd)"), std::string("mine 8 winograd"));
  }

  void what_says_nothing_keeps_its_name() {
    for (const char* arguments : {"[", "]", "] [", "[}]", R"({"a": [1]})"})
      QCOMPARE(title_of_log("a kernel", arguments), std::string("a kernel"));
    QCOMPARE(task::task_title(task::make_generic_task({"a ] [", "time", "s"}, "a ]").value()),
             std::string("a ]"));
    QCOMPARE(task::task_title(task::make_generic_task({"other [1]", "time", "s"}, "a kernel").value()),
             std::string("a kernel"));
  }
};

KERNELSCAPE_PLAIN_TEST(TaskTitleTest)

}  // namespace kernelscape::task_title_test
#include "task_title_test.moc"
