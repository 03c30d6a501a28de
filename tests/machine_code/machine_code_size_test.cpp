#include <elf.h>

#include <QFile>
#include <QTest>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/machine_code/code_size.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::machine_code_size_test {

namespace {

struct Function {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint16_t section = 1;  ///< SHN_UNDEF: of another file
  unsigned char type = STT_FUNC;
};

template <typename Structure>
void append(std::string& file, const Structure& structure) {
  file.append(reinterpret_cast<const char*>(&structure), sizeof structure);
}

/** An ELF file with a table of symbols and nothing else. @param kind SHT_SYMTAB or SHT_DYNSYM */
std::string elf_file(const std::vector<Function>& functions, std::uint32_t kind = SHT_SYMTAB) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  header.e_shoff = sizeof(Elf64_Ehdr) + functions.size() * sizeof(Elf64_Sym);
  std::string file;
  append(file, header);
  for (const Function& function : functions) {
    Elf64_Sym symbol{};
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, function.type);
    symbol.st_shndx = function.section;
    symbol.st_value = function.address;
    symbol.st_size = function.bytes;
    append(file, symbol);
  }
  append(file, Elf64_Shdr{});
  Elf64_Shdr table{};
  table.sh_type = kind;
  table.sh_offset = sizeof(Elf64_Ehdr);
  table.sh_size = functions.size() * sizeof(Elf64_Sym);
  append(file, table);
  return file;
}

}  // namespace

class MachineCodeSizeTest : public QObject {
  Q_OBJECT

 private slots:
  void functions_are_added_up() {
    const std::vector<Function> functions{{0, 100}, {112, 40}, {0, 12, 2}};
    QCOMPARE(machine_code::code_bytes(elf_file(functions)), std::optional<std::int64_t>(152));
    QCOMPARE(machine_code::code_bytes(elf_file(functions, SHT_DYNSYM)), std::optional<std::int64_t>(152));
  }

  void other_symbols_and_other_names_of_a_function_do_not_count() {
    QCOMPARE(machine_code::code_bytes(
                 elf_file({{16, 100}, {16, 100}, {0, 64, SHN_UNDEF}, {200, 8, 1, STT_OBJECT}})),
             std::optional<std::int64_t>(100));
  }

  void other_files_have_no_size() {
    QVERIFY(!machine_code::code_bytes(""));
    QVERIFY(!machine_code::code_bytes("// PTX\n.version 8.0\n"));
    QVERIFY(!machine_code::code_bytes(elf_file({})));
    QVERIFY(!machine_code::code_bytes(elf_file({{0, 0}})));
    QVERIFY(!machine_code::code_bytes(elf_file({{0, std::uint64_t{1} << 60}})));
  }

  /** Nothing outside of the bytes is read, which sanitizers would notice. */
  void damaged_files_do_no_harm() {
    base::Random random(testing::random_seed());
    const std::string file = elf_file({{0, 100}, {112, 40}, {0, 12, 2}});
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = file.substr(0, random.chance(0.3) ? random.below(file.size() + 1) : file.size());
      for (std::uint64_t change = random.below(4); change > 0 && !damaged.empty(); --change)
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      const std::optional<std::int64_t> bytes = machine_code::code_bytes(damaged);
      QVERIFY(!bytes || *bytes > 0);
    }
  }

  /** This program is an ELF file with functions. */
  void a_real_file_has_a_size() {
    QFile file(QStringLiteral("/proc/self/exe"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    const auto bytes = machine_code::code_bytes({content.data(), static_cast<std::size_t>(content.size())});
    QVERIFY(bytes && *bytes > 1000 && *bytes < content.size());
  }
};

KERNELSCAPE_PLAIN_TEST(MachineCodeSizeTest)

}  // namespace kernelscape::machine_code_size_test
#include "machine_code_size_test.moc"
