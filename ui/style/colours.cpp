#include "ui/style/theme.h"

namespace kernelscape::style {
namespace {

/**
 * Returns the styles of the categories for these colours. Letters and hatches are the same in both variants;
 * so are the dashes of the arms.
 */
std::array<CategoryStyle, trial::error_category_count> categories_in(
    const std::array<QRgb, trial::error_category_count>& of) {
  return {CategoryStyle{QColor(of[0]), 'V', Hatch::Solid},
          CategoryStyle{QColor(of[1]), 'I', Hatch::Dots},
          CategoryStyle{QColor(of[2]), 'H', Hatch::Diagonal},
          CategoryStyle{QColor(of[3]), 'D', Hatch::BackDiagonal},
          CategoryStyle{QColor(of[4]), 'R', Hatch::Cross},
          CategoryStyle{QColor(of[5]), 'W', Hatch::DiagonalCross},
          CategoryStyle{QColor(of[6]), 'B', Hatch::Vertical},
          CategoryStyle{QColor(of[7]), 'T', Hatch::Horizontal},
          CategoryStyle{QColor(of[8]), 'U', Hatch::Dashes}};
}

std::array<ArmStyle, arm_style_count> arms_in(const std::array<QRgb, arm_style_count>& of) {
  return {ArmStyle{QColor(of[0]), {}},      ArmStyle{QColor(of[1]), {6, 2}},
          ArmStyle{QColor(of[2]), {2, 2}},  ArmStyle{QColor(of[3]), {6, 2, 1, 2}},
          ArmStyle{QColor(of[4]), {10, 3}}, ArmStyle{QColor(of[5]), {4, 2, 4, 4}},
          ArmStyle{QColor(of[6]), {1, 2}},  ArmStyle{QColor(of[7]), {10, 2, 1, 2, 1, 2}}};
}

Colours make_light() {
  Colours c;
  c.window = QColor(0xf3f3f0);
  c.surface = QColor(0xffffff);
  c.text = QColor(0x1d1f20);
  c.muted_text = QColor(0x5b6062);
  c.hairline = QColor(0xc4c7c5);
  c.grid = QColor(0xe9ebe9);
  c.accent = QColor(0x00766a);
  c.accent_text = QColor(0xffffff);
  c.selection = QColor(0xd8eee9);
  c.selection_text = QColor(0x10201d);
  c.marked = QColor(0xc2186b);
  c.focus_ring = QColor(0x00766a);
  c.warning = QColor(0xa84a00);
  c.categories = categories_in({0xff00766a, 0xff6c6e6f, 0xff866b00, 0xffac5300, 0xffcf3a1b, 0xff8b3fae,
                                0xff2b6fb3, 0xff1d4f9c, 0xff1d1f20});
  c.arms = arms_in(
      {0xff0072b2, 0xffc8500a, 0xff00806a, 0xffb0478f, 0xff927000, 0xff6a52c4, 0xff7d4a20, 0xff2478a2});
  c.other_arm = {QColor(0x6d7072), {}};
  c.syntax = {.keyword = QColor(0x7a3e9d),
              .type = QColor(0x00665c),
              .number = QColor(0x9a4a00),
              .string = QColor(0x4b6b00),
              .comment = QColor(0x646a6c),
              .preprocessor = QColor(0x9c2f4e),
              .function = QColor(0x1d4f9c)};
  c.phases = {.search = QColor(0xc46000),
              .build = QColor(0x6a52c4),
              .run = QColor(0x00766a),
              .idle = QColor(0x8a8d8f)};
  return c;
}

Colours make_dark() {
  Colours c;
  c.dark = true;
  c.window = QColor(0x191b1d);
  c.surface = QColor(0x222527);
  c.text = QColor(0xe8eae9);
  c.muted_text = QColor(0xa3a9aa);
  c.hairline = QColor(0x4a4f52);
  c.grid = QColor(0x2b2f31);
  c.accent = QColor(0x4fc3b0);
  c.accent_text = QColor(0x0c1a17);
  c.selection = QColor(0x1d423c);
  c.selection_text = QColor(0xf2f5f4);
  c.marked = QColor(0xff7fbf);
  c.focus_ring = QColor(0x4fc3b0);
  c.warning = QColor(0xf5a142);
  c.categories = categories_in({0xff4fc3b0, 0xff9a9ea0, 0xffe3c02f, 0xfff2993a, 0xffff6f4e, 0xffc58be3,
                                0xff86bdf2, 0xff6496e4, 0xfff2f4f3});
  c.arms = arms_in(
      {0xff58a9ea, 0xffff8c50, 0xff35c49b, 0xffe79acb, 0xffe0bf3a, 0xffa99df2, 0xffcb9b6e, 0xff8fd6f5});
  c.other_arm = {QColor(0x8b9092), {}};
  c.syntax = {.keyword = QColor(0xcf9ff0),
              .type = QColor(0x63cfbd),
              .number = QColor(0xf0b070),
              .string = QColor(0xb5d26a),
              .comment = QColor(0x939a9c),
              .preprocessor = QColor(0xf094aa),
              .function = QColor(0x8fc0f5)};
  c.phases = {.search = QColor(0xf2993a),
              .build = QColor(0xa99df2),
              .run = QColor(0x4fc3b0),
              .idle = QColor(0x83898b)};
  return c;
}

}  // namespace

const Colours& light_colours() {
  static const Colours instance = make_light();
  return instance;
}

const Colours& dark_colours() {
  static const Colours instance = make_dark();
  return instance;
}

}  // namespace kernelscape::style
