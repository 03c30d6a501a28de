#pragma once

#include <fmt/format.h>

#include <QProcess>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/project/python_expression.h"

namespace kernelscape::testing {

/** Names that the expressions below use, here and in Python. */
inline std::optional<project::PythonBinding> reference_names(std::string_view name) {
  if (name == "values")
    return project::PythonBinding{{std::int64_t{3}, std::int64_t{8}, std::int64_t{-2}}, true};
  if (name == "five") return project::PythonBinding{{std::int64_t{5}}};
  if (name == "half") return project::PythonBinding{{0.5}};
  if (name == "yes") return project::PythonBinding{{true}};
  if (name == "word") return project::PythonBinding{{std::string("abca")}};
  return std::nullopt;
}

/** "int 3", "bool True", "float 3fe0000000000000" (its bits), "str abc". */
inline std::string typed_text(const project::PythonValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("int {}", *integer);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "bool True" : "bool False";
  if (const auto* real = std::get_if<double>(&value))
    return *real != *real ? "float nan" : fmt::format("float {:016x}", std::bit_cast<std::uint64_t>(*real));
  return "str " + std::get<std::string>(value);
}

/** What Python itself says of expressions, one answer for each: as typed_text() has it, "error", or "other"
 * for what is no value of ours. Returns nullopt if there is no python3. */
inline std::optional<std::vector<std::string>> ask_python(const std::vector<std::string>& expressions) {
  static constexpr const char* program = R"(
import math, struct, sys
names = {n: getattr(math, n) for n in "ceil floor trunc sqrt log2 log10 log exp gcd lcm prod".split()}
names.update(math=math, values=[3, 8, -2], five=5, half=0.5, yes=True, word="abca")
def typed(v):
    if v is True or v is False: return "bool " + str(v)
    if type(v) is int: return "int " + str(v) if -2**63 <= v < 2**63 else "other"
    if type(v) is float: return "float nan" if v != v else "float " + struct.pack(">d", v).hex()
    return "str " + v if type(v) is str else "other"
for line in sys.stdin:
    try: print(typed(eval(line, dict(names))))
    except Exception: print("error")
)";
  QProcess process;
  process.start(QStringLiteral("python3"), {QStringLiteral("-W"), QStringLiteral("ignore"),
                                            QStringLiteral("-c"), QString::fromLatin1(program)});
  if (!process.waitForStarted()) return std::nullopt;
  for (const std::string& expression : expressions) process.write((expression + "\n").c_str());
  process.closeWriteChannel();
  if (!process.waitForFinished(120'000) || process.exitCode() != 0) return std::nullopt;
  std::vector<std::string> answers;
  for (const QByteArray& line : process.readAllStandardOutput().split('\n'))
    if (!line.isEmpty()) answers.push_back(line.toStdString());
  if (answers.size() != expressions.size()) return std::nullopt;
  return answers;
}

/** Random expressions of everything that is read; integers of moderate size, so that Python ends. */
class RandomLanguage {
 public:
  explicit RandomLanguage(base::Random& random) : random_(random) {}

  std::string number(int levels) {
    if (levels == 0 || random_.chance(0.15)) return leaf();
    const auto n = [&] { return number(levels - 1); };
    switch (random_.below(18)) {
      case 0:
        return fmt::format("({} {} {})", n(), one({"+", "-", "*", "/", "//", "%"}), n());
      case 1:
        return fmt::format("{} {} {}", n(), one({"&", "|", "^", "+", "-", "*", "<<", ">>", "//", "%"}),
                           leaf());
      case 2:
        return fmt::format("{}{}", one({"~", "-", "+", "not "}), "(" + n() + ")");
      case 3:
        return fmt::format("({} {} {})", n(), one({"<<", ">>", "**"}), random_.below(7));
      case 4:
        return fmt::format("({} if {} else {})", n(), n(), n());
      case 5:
        return fmt::format("({} {} {} {} {})", n(), comparison(), n(), comparison(), n());
      case 6:
        return fmt::format("({} {} {})", n(), one({"and", "or"}), n());
      case 7:
        return fmt::format("({} {} {})", n(), one({"in", "not in"}), row(levels - 1));
      case 8:
        return fmt::format("{}({})", one({"any", "all", "len", "max", "min"}), row(levels - 1));
      case 9:
        return fmt::format("sum({})", whole_row(levels - 1));
      case 10:
        return fmt::format("{}({})", one({"round", "ceil", "math.floor", "int", "abs", "math.trunc"}), n());
      case 11:
        return fmt::format("{}({})", one({"log2", "math.sqrt", "math.log", "float", "bool"}), n());
      case 12:
        return fmt::format("divmod({}, {})[{}]", n(), n(), random_.below(2));
      case 13:
        return fmt::format("pow({}, {}, {})", n(), random_.below(9), n());
      case 14:
        return fmt::format("round({}, {})", n(), random_.below(4));
      case 15:
        return fmt::format("({} {} {})", n(), one({"is", "is not"}), one({"None", "True", "0", "5"}));
      case 16:
        return fmt::format("{}[{}]", row(levels - 1), random_.below(3));
      default:
        return fmt::format("{}({} {} {})", one({"any", "all", "sum", "max"}), n(), loops(levels - 1), "");
    }
  }

 private:
  std::string one(std::initializer_list<const char*> of) { return *(of.begin() + random_.below(of.size())); }
  std::string comparison() { return one({"==", "!=", "<", "<=", ">", ">="}); }

  std::string leaf() {
    // The variables are known or not, as it happens: one that is not is an error in both.
    if (random_.chance(0.25)) return one({"i", "j", "i"});
    if (random_.chance(0.3)) return one({"five", "half", "yes", "2.5", "True", "-7", "1.5", "0.25"});
    return fmt::format("{}", random_.below(12));
  }

  /** Behind an element: "for i in ... if ...". */
  std::string loops(int levels) {
    std::string text;
    for (std::uint64_t more = 1 + random_.below(2); more-- > 0;) {
      text += fmt::format(" for {} in {}", one({"i", "j", "i"}), whole_row(levels));
      if (random_.chance(0.4)) text += " if " + number(levels);
    }
    return text;
  }

  /** Only whole numbers in it: sums of reals depend on Python's version. */
  std::string whole_row(int levels) {
    if (levels <= 0 || random_.chance(0.5))
      return one({"values", "range(4)", "range(9, 1, -3)", "(1, 5, 2)", "{4, 7}"});
    return fmt::format("[int({}), {}]", number(levels - 1), random_.below(9));
  }

  std::string row(int levels) {
    if (levels <= 0) return whole_row(0);
    switch (random_.below(7)) {
      case 0:
        return fmt::format("[{}, {}]", number(levels - 1), number(levels - 1));
      case 1:
        return fmt::format("[{}{}]", number(levels - 1), loops(levels - 1));
      case 2:
        return fmt::format("({} * {})", row(levels - 1), random_.below(3));
      case 3:
        return fmt::format("{}[{}:{}:{}]", row(levels - 1), one({"", "1", "-2"}), one({"", "3", "-1"}),
                           one({"", "2", "-1", "-2"}));
      case 4:
        return fmt::format("sorted({})", row(levels - 1));
      case 5:
        return fmt::format("[{}, *{}]", number(levels - 1), row(levels - 1));
      default:
        return whole_row(levels);
    }
  }

  base::Random& random_;
};

}  // namespace kernelscape::testing
