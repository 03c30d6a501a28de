#include "core/project/program_data.h"

#include <QTest>
#include <set>

#include "tests/test_program.h"

namespace kernelscape::program_data_test {

class ProgramDataTest final : public QObject {
  Q_OBJECT

 private slots:
  /** As the processor has them: what a worker fills is what the kernel reads. */
  void elements_are_the_processors() {
    QCOMPARE(project::element_bytes(project::ElementType::Bool), sizeof(bool));
    QCOMPARE(project::element_bytes(project::ElementType::I16), sizeof(std::int16_t));
    QCOMPARE(project::element_bytes(project::ElementType::F16), 2U);
    QCOMPARE(project::element_bytes(project::ElementType::F32), sizeof(float));
    QCOMPARE(project::element_bytes(project::ElementType::F64), sizeof(double));
    project::ProgramArgument argument;
    argument.lanes = 4;
    argument.count = 10;
    QCOMPARE(argument.bytes(), 160U);
  }

  void every_type_has_a_name_of_its_own() {
    std::set<std::string> names;
    for (std::uint64_t type = 0; type < project::element_type_count; ++type)
      names.insert(project::to_string(static_cast<project::ElementType>(type)));
    QCOMPARE(names.size(), project::element_type_count);
  }
};

KERNELSCAPE_PLAIN_TEST(ProgramDataTest)

}  // namespace kernelscape::program_data_test
#include "program_data_test.moc"
