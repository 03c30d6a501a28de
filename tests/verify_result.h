#pragma once

#include <QTest>

#include "core/base/result.h"

/** Fails the test with the error's own words. */
#define VERIFY_RESULT(...)                                                               \
  do {                                                                                   \
    const auto& verified = (__VA_ARGS__);                                                \
    QVERIFY2(verified, verified ? "" : kernelscape::describe(verified.error()).c_str()); \
  } while (false)
