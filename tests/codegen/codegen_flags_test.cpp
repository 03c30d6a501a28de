#include <QTest>
#include <algorithm>

#include "core/base/random.h"
#include "core/codegen/known_flags.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::codegen_flags_test {
using namespace kernelscape::testing;

namespace {

constexpr codegen::Dialect dialects[] = {codegen::Dialect::C, codegen::Dialect::Cuda,
                                         codegen::Dialect::OpenCl};

bool is_known(codegen::Dialect dialect, const std::string& flag) {
  return codegen::sort_flags(dialect, {flag}).known.words() == std::vector<std::string>{flag};
}

/** What descriptions of this program have held, and what a user might add to them. */
const std::vector<std::pair<codegen::Dialect, std::string>>& good_flags() {
  static const std::vector<std::pair<codegen::Dialect, std::string>> flags{
      {codegen::Dialect::C, "-O2"},
      {codegen::Dialect::C, "-fno-tree-vectorize"},
      {codegen::Dialect::C, "-march=native"},
      {codegen::Dialect::C, "-O3"},
      {codegen::Dialect::C, "-Ofast"},
      {codegen::Dialect::C, "-ffast-math"},
      {codegen::Dialect::C, "-funroll-loops"},
      {codegen::Dialect::C, "-fPIC"},
      {codegen::Dialect::C, "-std=gnu11"},
      {codegen::Dialect::C, "-march=x86-64-v3"},
      {codegen::Dialect::C, "-mcpu=neoverse-n1"},
      {codegen::Dialect::C, "-march=armv8.2-a+fp16"},
      {codegen::Dialect::C, "-mtune=generic"},
      {codegen::Dialect::C, "-mavx512f"},
      {codegen::Dialect::C, "-mno-sse4.2"},
      {codegen::Dialect::C, "-mprefer-vector-width=512"},
      {codegen::Dialect::C, "-ffp-contract=fast"},
      {codegen::Dialect::Cuda, "--std=c++17"},
      {codegen::Dialect::Cuda, "-std=c++20"},
      {codegen::Dialect::Cuda, "--gpu-architecture=sm_90a"},
      {codegen::Dialect::Cuda, "-arch=compute_80"},
      {codegen::Dialect::Cuda, "--use_fast_math"},
      {codegen::Dialect::Cuda, "--maxrregcount=64"},
      {codegen::Dialect::Cuda, "--fmad=false"},
      {codegen::Dialect::OpenCl, "-cl-std=CL1.2"},
      {codegen::Dialect::OpenCl, "-cl-nv-verbose"},
      {codegen::Dialect::OpenCl, "-cl-fast-relaxed-math"},
      {codegen::Dialect::OpenCl, "-cl-nv-maxrregcount=32"}};
  return flags;
}

}  // namespace

/** Which compiler flags of a stored description are built with. */
class CodegenFlagsTest : public QObject {
  Q_OBJECT

 private slots:
  void what_this_program_writes_is_known() {
    for (const auto& [dialect, flag] : good_flags()) QVERIFY2(is_known(dialect, flag), flag.c_str());
    for (const codegen::Dialect dialect : dialects) {
      const std::vector<std::string> own = codegen::own_flags(dialect).words();
      QVERIFY(codegen::sort_flags(dialect, own).unused.empty());
      QCOMPARE(own.empty(), dialect == codegen::Dialect::OpenCl);
    }
    QCOMPARE(codegen::own_flags(codegen::Dialect::C).words(),
             (std::vector<std::string>{"-O2", "-fno-tree-vectorize", "-march=native"}));
  }

  /** What runs or loads programs, or names files, of the compilers that we know. */
  void what_reaches_further_is_unknown() {
    const std::vector<std::string> flags{"-wrapper",
                                         "sh,-c,touch PWNED",
                                         "-fplugin=x.so",
                                         "-fplugin-arg-x-y=1",
                                         "@file",
                                         "-B.",
                                         "-B/tmp",
                                         "-specs=x",
                                         "--specs=x",
                                         "-imacros",
                                         "-include",
                                         "x.h",
                                         "-include/etc/passwd",
                                         "-I.",
                                         "-L.",
                                         "-lx",
                                         "-Wl,-rpath,.",
                                         "-Wa,-a=x",
                                         "-Wp,-MD,x",
                                         "-Xlinker",
                                         "-Xassembler",
                                         "-Xclang",
                                         "-load",
                                         "x.so",
                                         "-o",
                                         "-ox",
                                         "-x",
                                         "c++",
                                         "-DX=system",
                                         "-DX",
                                         "-UX",
                                         "-E",
                                         "-S",
                                         "-c",
                                         "-shared",
                                         "-static",
                                         "-save-temps",
                                         "-fdump-tree-all",
                                         "-fprofile-use=x",
                                         "-fopt-info-vec=x",
                                         "-ftemplate-depth=9",
                                         "-fuse-ld=x",
                                         "-fdebug-prefix-map=a=b",
                                         "-MD",
                                         "-MF",
                                         "-no-canonical-prefixes",
                                         "--sysroot=/x",
                                         "-isystem",
                                         "-iquote",
                                         "-fopenmp",
                                         "-flto",
                                         "-flto=auto",
                                         "-fsanitize=address",
                                         "-pipe",
                                         "-v",
                                         "-###",
                                         "--help",
                                         "-dumpspecs",
                                         "-march=",
                                         "-march=a/b",
                                         "-march=../x",
                                         "-march=A",
                                         "-march=x y",
                                         "-march=native\n",
                                         "-march=native,",
                                         "-march=%s",
                                         "-march=-x",
                                         "-mtune=@x",
                                         "-O9",
                                         "-O 2",
                                         " -O2",
                                         "-O2 ",
                                         "-O2\t",
                                         "",
                                         "-",
                                         "--",
                                         "-f",
                                         "-m",
                                         "-fno-",
                                         "-mno-",
                                         "-f-no-math-errno",
                                         "-ftree-vectorize=1",
                                         "-ffast-math -wrapper",
                                         "-std=",
                                         "-std=gnu",
                                         "-std=gnu11/..",
                                         "-mprefer-vector-width=",
                                         "-mprefer-vector-width=256 ",
                                         "--options-file",
                                         "-optf",
                                         "-ccbin",
                                         "--compiler-bindir=x",
                                         "-Xptxas",
                                         "--compiler-options=-wrapper",
                                         "-arch=sm_80 -ccbin x",
                                         "-arch=sm_",
                                         "-arch=sm_80;x",
                                         "--gpu-architecture=sm_80aa",
                                         "-I /x",
                                         "--include-path=x",
                                         "--pre-include=x",
                                         "-dlto",
                                         "-cl-std=CL9",
                                         "-cl-std=../x",
                                         "-cl-",
                                         "-cl-nv-maxrregcount=",
                                         "-cl-nv-maxrregcount=1 -I x",
                                         "-cl-nv-maxrregcount=99999999999",
                                         "$(x)",
                                         "`x`",
                                         "${X}",
                                         "a;b",
                                         std::string("-O2\0", 4),
                                         "\xff",
                                         std::string("-march=") + std::string(100'000, 'a')};
    for (const codegen::Dialect dialect : dialects) {
      const codegen::SortedFlags sorted = codegen::sort_flags(dialect, flags);
      QVERIFY2(sorted.known.empty(), sorted.known.empty() ? "" : sorted.known.words().front().c_str());
      QCOMPARE(sorted.unused, flags);
    }
  }

  /** Of mutations of good flags no known one has what paths, lists and other arguments are written with. */
  void mutations_stay_harmless() {
    base::Random random(random_seed());
    constexpr char drawn[] = "-=+._/@,%$;:'\"\\`(){}<>|&*?!#~ \t\n\0azAZ09";
    const std::string letters(drawn, sizeof drawn - 1);
    const std::string plain("-+._=");
    int known = 0;
    for (int i = 0; i < 200'000; ++i) {
      auto [dialect, flag] = good_flags()[random.below(good_flags().size())];
      for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
        const std::size_t place = random.below(flag.size() + 1);
        const char letter = letters[random.below(letters.size())];
        if (random.chance(0.4)) {
          flag.insert(place, 1, letter);
        } else if (place < flag.size()) {
          if (random.chance(0.5))
            flag[place] = letter;
          else
            flag.erase(place, 1 + random.below(3));
        }
      }
      if (!is_known(dialect, flag)) continue;
      ++known;
      const auto allowed = [&](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return letter || plain.contains(c);
      };
      QVERIFY2(flag.starts_with('-') && std::ranges::all_of(flag, allowed), flag.c_str());
      QVERIFY2(std::ranges::count(flag, '=') <= 1, flag.c_str());
      QVERIFY2(flag.size() < 100, flag.c_str());
      for (const char* reaching : {"-B", "-D", "-I", "-L", "-W", "-X", "-U", "-i", "-l", "-o", "-x", "-w",
                                   "-fplugin", "-specs", "--specs", "-wrapper"})
        QVERIFY2(!flag.starts_with(reaching), flag.c_str());
    }
    QVERIFY(known > 100);  // or nothing was tested
  }

  void order_is_kept_and_nothing_is_lost() {
    base::Random random(random_seed());
    for (int round = 0; round < 200; ++round) {
      std::vector<std::string> flags;
      std::vector<std::string> good;
      std::vector<std::string> bad;
      for (std::uint64_t count = random.below(8); count > 0; --count) {
        const std::string& flag = good_flags()[random.below(17)].second;  // those of C
        const bool known = random.chance(0.5);
        flags.push_back(known ? flag : "@" + flag);
        (known ? good : bad).push_back(flags.back());
      }
      const codegen::SortedFlags sorted = codegen::sort_flags(codegen::Dialect::C, flags);
      QCOMPARE(sorted.known.words(), good);
      QCOMPARE(sorted.unused, bad);
    }
  }

  /** Another program's description must not give a kernel without optimization. */
  void without_optimization_our_own_flags_are_taken() {
    const std::vector<std::string> tvm{"llvm", "-mcpu=core-avx2", "-model=x"};
    const codegen::SortedFlags taken = codegen::flags_to_build_with(codegen::Dialect::C, tvm);
    QVERIFY(taken.known == codegen::own_flags(codegen::Dialect::C));
    QCOMPARE(taken.unused, tvm);
    const codegen::SortedFlags kept =
        codegen::flags_to_build_with(codegen::Dialect::C, {"-O1", "-wrapper", "-march=native"});
    QCOMPARE(kept.known.words(), (std::vector<std::string>{"-O1", "-march=native"}));
    QCOMPARE(kept.unused, std::vector<std::string>{"-wrapper"});
    QVERIFY(codegen::flags_to_build_with(codegen::Dialect::OpenCl, {}).known.empty());
    QVERIFY(codegen::flags_to_build_with(codegen::Dialect::Cuda, {"nvptx"}).known.empty());
  }
};

KERNELSCAPE_PLAIN_TEST(CodegenFlagsTest)

}  // namespace kernelscape::codegen_flags_test
#include "codegen_flags_test.moc"
