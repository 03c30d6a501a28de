#include "core/project/numpy_file.h"

#include <fmt/format.h>

#include <QTest>

#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::numpy_file_test {

namespace {

/** As numpy.save writes it. */
std::string numpy_file(int version, std::string_view header, std::string_view contents) {
  std::string padded(header);
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + padded.size() + 1) % 64 != 0) padded += ' ';
  padded += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    file += static_cast<char>(padded.size() >> (8 * byte) & 0xFFU);
  return file + padded + std::string(contents);
}

std::string header(std::string_view type, std::string_view order, std::string_view shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
}

bool refuses(const Result<std::string>& elements, std::string_view text) {
  if (!elements && describe(elements.error()).contains(text)) return true;
  qWarning("%s", elements ? "it was read" : describe(elements.error()).c_str());
  return false;
}

}  // namespace

class NumpyFileTest final : public QObject {
  Q_OBJECT

 private slots:
  void every_version_and_shape_is_read() {
    const std::string contents(24, '\x7');
    for (const int version : {1, 2, 3}) {
      for (const char* shape : {"(6,)", "(2, 3)", "(1, 6, 1)"}) {
        const std::string file = numpy_file(version, header("<f4", "False", shape), contents);
        QVERIFY(project::is_numpy_file(file));
        QCOMPARE(project::numpy_elements(file, project::ElementType::F32, 6).value(), contents);
      }
    }
    QCOMPARE(project::numpy_elements(numpy_file(1, header("|u1", "False", "(3,)"), "abc"),
                                     project::ElementType::U8, 3)
                 .value(),
             std::string("abc"));
    QCOMPARE(project::numpy_elements(numpy_file(1, header("<f8", "False", "()"), "12345678"),
                                     project::ElementType::F64, 1)
                 .value(),
             std::string("12345678"));
  }

  void what_it_is_not_is_refused() {
    const std::string contents(8, 'x');
    const auto read = [&](std::string_view type, std::string_view order, std::string_view shape) {
      return project::numpy_elements(numpy_file(1, header(type, order, shape), contents),
                                     project::ElementType::F32, 2);
    };
    QVERIFY(read("<f4", "False", "(2,)").has_value());
    QVERIFY(refuses(read("<f4", "True", "(2,)"), "fortran_order"));
    QVERIFY(refuses(read(">f4", "False", "(2,)"), "byte order"));
    QVERIFY(refuses(read("<f8", "False", "(1,)"), "float"));
    QVERIFY(refuses(read("<i4", "False", "(2,)"), "astype"));
    QVERIFY(refuses(read("|O", "False", "(2,)"), "|O"));
    QVERIFY(refuses(read("<f4", "False", "(3,)"), "3 elements"));
    QVERIFY(refuses(read("<f4", "False", "(-2,)"), "shape"));
    QVERIFY(refuses(read("<f4", "False", "(4294967296, 4294967296, 2)"), "shape"));
    QVERIFY(refuses(read("<f4", "False", "2"), "shape"));
    QVERIFY(refuses(
        project::numpy_elements(
            numpy_file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", contents),
            project::ElementType::F32, 2),
        "structures"));
    QVERIFY(refuses(project::numpy_elements(numpy_file(4, header("<f4", "False", "(2,)"), contents),
                                            project::ElementType::F32, 2),
                    "version 4"));
    QVERIFY(refuses(project::numpy_elements(numpy_file(1, header("<f4", "False", "(2,)"), "short"),
                                            project::ElementType::F32, 2),
                    "5 bytes"));
    QVERIFY(refuses(project::numpy_elements(numpy_file(1, header("<f4", "False", "(2,)"), "far too long"),
                                            project::ElementType::F32, 2),
                    "12 bytes"));
  }

  void no_beginning_and_no_damage_is_more_than_an_error() {
    const std::string whole = numpy_file(2, header("<f4", "False", "(2,)"), "12345678");
    for (std::size_t size = 0; size < whole.size(); ++size)
      QVERIFY(!project::numpy_elements(std::string_view(whole).substr(0, size), project::ElementType::F32, 2)
                   .has_value());
    base::Random random(7);
    for (int round = 0; round < 2000; ++round) {
      std::string file = whole;
      for (int change = 0; change < 3; ++change)
        file[random.below(file.size())] = static_cast<char>(random.below(256));
      const auto elements = project::numpy_elements(file, project::ElementType::F32, 2);
      if (elements) QCOMPARE(elements->size(), 8U);
    }
  }
};

KERNELSCAPE_PLAIN_TEST(NumpyFileTest)

}  // namespace kernelscape::numpy_file_test
#include "numpy_file_test.moc"
