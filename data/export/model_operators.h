/*
 * Part of a model's library written by Kernelscape: operators that are no kernels.
 *
 * Each function computes part `part` of `parts`, which may run at the same time. Tensors are of float and
 * row-major, or have their channels in blocks of `lanes` elements, which are innermost.
 */
#ifndef LIBRARY_OPERATORS_H
#define LIBRARY_OPERATORS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define op_max(a, b) ((a) > (b) ? (a) : (b))
#define op_min(a, b) ((a) < (b) ? (a) : (b))

/* The larger and the smaller of two numbers, and no number if one of them is none. */
#define op_larger_and_smaller(type)                      \
  static inline type op_larger_##type(type a, type b) {  \
    return a >= b ? a : (b >= a ? b : a + b);            \
  }                                                      \
  static inline type op_smaller_##type(type a, type b) { \
    return a <= b ? a : (b <= a ? b : a + b);            \
  }                                                      \
  _Static_assert(1, "takes the semicolon")
op_larger_and_smaller(float);
op_larger_and_smaller(double);
op_larger_and_smaller(int32_t);
op_larger_and_smaller(int64_t);

static inline long long op_begin(long long count, int part, int parts) {
  return count * part / parts;
}

/* --- functions of one number, which compilers turn into vector instructions --- */

/* 2^n times a polynomial of the rest: a relative error below 2e-7. */
static inline float op_exp(float x) {
  const float low = -87.3f;
  const float high = 88.7f;
  const float bounded = x < low ? low : (x > high ? high : x);
  const float shifted = bounded * 1.44269504f + 12582912.0f; /* rounds to a whole number */
  const float whole = shifted - 12582912.0f;
  const float rest = (bounded - whole * 0.693359375f) + whole * 2.12194440e-4f;
  float y = 1.9875691500e-4f;
  y = y * rest + 1.3981999507e-3f;
  y = y * rest + 8.3334519073e-3f;
  y = y * rest + 4.1665795894e-2f;
  y = y * rest + 1.6666665459e-1f;
  y = y * rest + 5.0000001201e-1f;
  y = y * rest * rest + rest + 1.0f;
  union {
    int32_t bits;
    float number;
  } power;
  power.bits = ((int32_t)whole + 127) << 23;
  return y * power.number;
}

static inline float op_sigmoid(float x) {
  return 1.0f / (1.0f + op_exp(-x));
}

static inline float op_silu(float x) {
  return x / (1.0f + op_exp(-x));
}

static inline float op_tanh(float x) {
  const float square = x * x;
  const float series = x * (1.0f + square * (-0.333333333f + square * (0.133333333f - 0.0539682540f * square)));
  const float wide = 1.0f - 2.0f / (1.0f + op_exp(2.0f * x));
  return square < 0.0625f ? series : wide;
}

/* Abramowitz and Stegun 7.1.26 for large arguments, the series near 0: an absolute error below 3e-7. */
static inline float op_erf(float x) {
  const float size = x < 0 ? -x : x;
  const float t = 1.0f / (1.0f + 0.3275911f * size);
  float y = 1.061405429f;
  y = y * t - 1.453152027f;
  y = y * t + 1.421413741f;
  y = y * t - 0.284496736f;
  y = y * t + 0.254829592f;
  const float wide = 1.0f - y * t * op_exp(-size * size);
  const float square = x * x;
  const float series =
      1.128379167f * size * (1.0f + square * (-0.333333333f + square * (0.1f - 0.0238095238f * square)));
  const float result = size < 0.25f ? series : wide;
  return x < 0 ? -result : result;
}

static inline float op_gelu(float x) {
  return 0.5f * x * (1.0f + op_erf(x * 0.707106781f));
}

/* Rounds to the nearest whole number, ties to even, between two whole numbers; what is no number is the lowest. */
static inline float op_rounded(float x, float low, float high) {
  const float bounded = op_min(op_max(x, low), high);
  return bounded + 12582912.0f - 12582912.0f;
}

static inline int8_t op_quantized_i8(float x, float scale, int zero) {
  return (int8_t)((int)op_rounded(x / scale, (float)(-128 - zero), (float)(127 - zero)) + zero);
}

static inline uint8_t op_quantized_u8(float x, float scale, int zero) {
  return (uint8_t)((int)op_rounded(x / scale, (float)-zero, (float)(255 - zero)) + zero);
}

static inline float op_gelu_tanh(float x) {
  return 0.5f * x * (1.0f + op_tanh(0.797884561f * (x + 0.044715f * x * x * x)));
}

static inline float op_hard_sigmoid(float x, float alpha, float beta) {
  const float y = alpha * x + beta;
  return y < 0 ? 0 : (y > 1 ? 1 : y);
}

static inline float op_hard_swish(float x) {
  return x * op_hard_sigmoid(x, 1.0f / 6.0f, 0.5f);
}

static inline float op_power(float x, float exponent) {
  if (exponent == 2.0f) return x * x;
  if (exponent == 0.5f) return sqrtf(x);
  if (exponent == 3.0f) return x * x * x;
  return powf(x, exponent);
}

/* --- memory --- */

static inline void op_fill_zero(int part, int parts, void *to, long long bytes) {
  const long long begin = op_begin(bytes, part, parts);
  memset((char *)to + begin, 0, (size_t)(op_begin(bytes, part + 1, parts) - begin));
}

/* Rows of `bytes` bytes at `count` indices of an axis of `extent`, which are of index_bytes; outside: zeros. */
static inline void op_gather(int part, int parts, long long before, long long extent, long long count, long long bytes,
                             const void *data, const void *indices, int index_bytes, void *to) {
  const long long end = op_begin(before * count, part + 1, parts);
  for (long long i = op_begin(before * count, part, parts); i < end; ++i) {
    const long long number = i % count;
    long long index = index_bytes == 8 ? (long long)((const int64_t *)indices)[number]
                                       : (long long)((const int32_t *)indices)[number];
    if (index < 0) index += extent;
    char *row = (char *)to + i * bytes;
    if (index < 0 || index >= extent)
      memset(row, 0, (size_t)bytes);
    else
      memcpy(row, (const char *)data + (i / count * extent + index) * bytes, (size_t)bytes);
  }
}

/* An index from the file of weights, within an axis whatever the file says. */
static inline long long op_bounded(long long index, long long extent) {
  return index < 0 ? 0 : (index < extent ? index : extent - 1);
}

/* Each element along an axis is a mixture of two: first * (1 - share) + second * share. */
static inline void op_resize_axis(int part, int parts, long long before, long long from, long long to, long long behind,
                                  const int32_t *first, const int32_t *second, const float *share, const float *data,
                                  float *result) {
  const long long end = op_begin(before * to, part + 1, parts);
  for (long long i = op_begin(before * to, part, parts); i < end; ++i) {
    const long long place = i % to;
    const float *one = data + (i / to * from + op_bounded(first[place], from)) * behind;
    const float *other = data + (i / to * from + op_bounded(second[place], from)) * behind;
    const float weight = share[place];
    float *row = result + i * behind;
    for (long long j = 0; j < behind; ++j) row[j] = one[j] + weight * (other[j] - one[j]);
  }
}

/* --- pooling --- */

/* A window that moves over up to three dimensions, the missing ones in front with one element. */
struct op_window {
  int size[3];
  int output[3];
  int window[3];
  int stride[3];
  int dilation[3];
  int begin[3]; /* padding before the first element, and after the last */
  int end[3];
  int count_padding;
};

/* The first element of the window inside the tensor, and how many are. */
static inline int op_inside(const struct op_window *w, int d, int start, int *count) {
  int first = 0;
  while (first < w->window[d] && start + first * w->dilation[d] < 0) ++first;
  int last = w->window[d];
  while (last > first && start + (last - 1) * w->dilation[d] >= w->size[d]) --last;
  *count = last - first;
  return start + first * w->dilation[d];
}

/* Elements of the window that lie in the tensor or in its padding. */
static inline int op_padded(const struct op_window *w, int d, int start) {
  int count = 0;
  for (int i = 0; i < w->window[d]; ++i) count += start + i * w->dilation[d] < w->size[d] + w->end[d];
  return count;
}

enum { op_max_lanes = 64 };

/* Both poolings: `average` is a constant wherever the function is called. */
static inline void op_pool(int part, int parts, long long images, int lanes, const struct op_window *w,
                           const float *data, float *result, int average) {
  const long long plane = (long long)w->size[0] * w->size[1] * w->size[2] * lanes;
  const long long rows = images * w->output[0] * w->output[1];
  const long long end = op_begin(rows, part + 1, parts);
  for (long long row = op_begin(rows, part, parts); row < end; ++row) {
    const int oy = (int)(row % w->output[1]);
    const int oz = (int)(row / w->output[1] % w->output[0]);
    const float *image = data + row / w->output[1] / w->output[0] * plane;
    const int start_z = oz * w->stride[0] - w->begin[0];
    const int start_y = oy * w->stride[1] - w->begin[1];
    int count_z, count_y, count_x;
    const int z0 = op_inside(w, 0, start_z, &count_z);
    const int y0 = op_inside(w, 1, start_y, &count_y);
    for (int ox = 0; ox < w->output[2]; ++ox) {
      const int start_x = ox * w->stride[2] - w->begin[2];
      const int x0 = op_inside(w, 2, start_x, &count_x);
      float sums[op_max_lanes];
      for (int lane = 0; lane < lanes; ++lane) sums[lane] = average ? 0.0f : -HUGE_VALF;
      for (int z = 0; z < count_z; ++z)
        for (int y = 0; y < count_y; ++y)
          for (int x = 0; x < count_x; ++x) {
            const float *at =
                image + (((long long)(z0 + z * w->dilation[0]) * w->size[1] + y0 + y * w->dilation[1]) * w->size[2] +
                         x0 + x * w->dilation[2]) *
                            lanes;
            for (int lane = 0; lane < lanes; ++lane)
              sums[lane] = average ? sums[lane] + at[lane] : op_max(sums[lane], at[lane]);
          }
      float scale = 1.0f;
      if (average) {
        const int counted = w->count_padding
                                ? op_padded(w, 0, start_z) * op_padded(w, 1, start_y) * op_padded(w, 2, start_x)
                                : count_z * count_y * count_x;
        scale = counted > 0 ? 1.0f / (float)counted : 0.0f;
      }
      float *to = result + (row * w->output[2] + ox) * lanes;
      for (int lane = 0; lane < lanes; ++lane) to[lane] = sums[lane] * scale;
    }
  }
}

static inline void op_max_pool(int part, int parts, long long images, int lanes, const struct op_window *w,
                               const float *data, float *result) {
  op_pool(part, parts, images, lanes, w, data, result, 0);
}

static inline void op_average_pool(int part, int parts, long long images, int lanes, const struct op_window *w,
                                   const float *data, float *result) {
  op_pool(part, parts, images, lanes, w, data, result, 1);
}

/* --- rows --- */

/* Elements that loops over rows take at a time: sums of their own, which compilers keep in vector registers. */
enum { op_lanes = 16 };

static inline float op_row_maximum(long long length, const float *row) {
  float lanes[op_lanes];
  for (int lane = 0; lane < op_lanes; ++lane) lanes[lane] = -HUGE_VALF;
  const long long whole = length - length % op_lanes;
  for (long long i = 0; i < whole; i += op_lanes)
    for (int lane = 0; lane < op_lanes; ++lane) lanes[lane] = op_max(row[i + lane], lanes[lane]);
  float largest = -HUGE_VALF;
  for (int lane = 0; lane < op_lanes; ++lane) largest = op_max(lanes[lane], largest);
  for (long long i = whole; i < length; ++i) largest = op_max(row[i], largest);
  return largest;
}

/*
 * The sum of the differences from a number, or of their squares; `squared` is a constant wherever the function is
 * called. Lanes are added up in double before they have rounded much.
 */
static inline double op_row_sum(long long length, const float *row, float centre, int squared) {
  enum { length_of_lanes = 128 * op_lanes };
  const long long whole = length - length % op_lanes;
  double sum = 0;
  for (long long begin = 0; begin < whole; begin += length_of_lanes) {
    float lanes[op_lanes] = {0};
    const long long end = op_min(whole, begin + length_of_lanes);
    for (long long i = begin; i < end; i += op_lanes)
      for (int lane = 0; lane < op_lanes; ++lane) {
        const float difference = row[i + lane] - centre;
        lanes[lane] += squared ? difference * difference : difference;
      }
    for (int lane = 0; lane < op_lanes; ++lane) sum += lanes[lane];
  }
  for (long long i = whole; i < length; ++i) {
    const float difference = row[i] - centre;
    sum += squared ? difference * difference : difference;
  }
  return sum;
}

static inline void op_softmax_row(long long length, int logarithm, const float *restrict row, float *restrict to) {
  const float largest = op_row_maximum(length, row);
  for (long long i = 0; i < length; ++i) to[i] = op_exp(row[i] - largest);
  const double sum = op_row_sum(length, to, 0.0f, 0);
  if (logarithm) {
    const float offset = logf((float)sum);
    for (long long i = 0; i < length; ++i) to[i] = row[i] - largest - offset;
  } else {
    const float scale = (float)(1.0 / sum);
    for (long long i = 0; i < length; ++i) to[i] *= scale;
  }
}

/* Softmax over an axis that is not the last one, of `count` neighbouring columns, at most op_lanes. */
static inline void op_softmax_columns(long long length, long long stride, int count, int logarithm,
                                      const float *restrict data, float *restrict to) {
  float largest[op_lanes];
  float sums[op_lanes];
  for (int c = 0; c < count; ++c) largest[c] = -HUGE_VALF;
  for (int c = 0; c < count; ++c) sums[c] = 0.0f;
  for (long long i = 0; i < length; ++i)
    for (int c = 0; c < count; ++c) largest[c] = op_max(data[i * stride + c], largest[c]);
  for (long long i = 0; i < length; ++i)
    for (int c = 0; c < count; ++c) {
      const float power = op_exp(data[i * stride + c] - largest[c]);
      sums[c] += power;
      to[i * stride + c] = power;
    }
  for (int c = 0; c < count; ++c) sums[c] = logarithm ? logf(sums[c]) : 1.0f / sums[c];
  for (long long i = 0; i < length; ++i)
    for (int c = 0; c < count; ++c)
      to[i * stride + c] = logarithm ? data[i * stride + c] - largest[c] - sums[c] : to[i * stride + c] * sums[c];
}

static inline void op_softmax(int part, int parts, long long outer, long long length, long long inner, int logarithm,
                              const float *data, float *to) {
  const long long groups = (inner + op_lanes - 1) / op_lanes;
  const long long end = op_begin(outer * groups, part + 1, parts);
  for (long long i = op_begin(outer * groups, part, parts); i < end; ++i) {
    const long long first = i % groups * op_lanes;
    const long long place = i / groups * length * inner + first;
    const int count = (int)op_min(inner - first, op_lanes);
    if (inner == 1)
      op_softmax_row(length, logarithm, data + place, to + place);
    else if (count == op_lanes)
      op_softmax_columns(length, inner, op_lanes, logarithm, data + place, to + place);
    else
      op_softmax_columns(length, inner, count, logarithm, data + place, to + place);
  }
}

/*
 * 1 / sqrt(variance + epsilon); differences from the first element stay exact where all elements are large. Rows whose
 * squares are too large or too small for float are added up in double.
 */
static inline float op_deviation(long long length, float epsilon, const float *row, float *mean) {
  double average = row[0] + op_row_sum(length, row, row[0], 0) / (double)length;
  double squares = op_row_sum(length, row, (float)average, 1);
  if (!(squares + epsilon > 1e-30 && squares < 1e38)) {
    double sum = 0;
    for (long long i = 0; i < length; ++i) sum += row[i];
    average = sum / (double)length;
    squares = 0;
    for (long long i = 0; i < length; ++i) squares += (row[i] - average) * (row[i] - average);
  }
  *mean = (float)average;
  return (float)(1.0 / sqrt(squares / (double)length + epsilon));
}

static inline void op_layer_normalization(int part, int parts, long long rows, long long length, float epsilon,
                                          const float *data, const float *scale, const float *bias, float *to) {
  const long long end = op_begin(rows, part + 1, parts);
  for (long long r = op_begin(rows, part, parts); r < end; ++r) {
    const float *row = data + r * length;
    float mean;
    const float factor = op_deviation(length, epsilon, row, &mean);
    for (long long i = 0; i < length; ++i)
      to[r * length + i] = (row[i] - mean) * factor * scale[i] + (bias == NULL ? 0.0f : bias[i]);
  }
}

static inline void op_instance_normalization(int part, int parts, long long planes, long long channels,
                                             long long length, float epsilon, const float *data, const float *scale,
                                             const float *bias, float *to) {
  const long long end = op_begin(planes, part + 1, parts);
  for (long long p = op_begin(planes, part, parts); p < end; ++p) {
    const float *plane = data + p * length;
    float mean;
    const float factor = op_deviation(length, epsilon, plane, &mean) * scale[p % channels];
    for (long long i = 0; i < length; ++i) to[p * length + i] = (plane[i] - mean) * factor + bias[p % channels];
  }
}

static inline void op_local_response(int part, int parts, long long images, long long channels, long long plane,
                                     long long size, float alpha, float beta, float bias, const float *data,
                                     float *to) {
  const long long end = op_begin(images * channels, part + 1, parts);
  for (long long p = op_begin(images * channels, part, parts); p < end; ++p) {
    const long long channel = p % channels;
    const long long first = op_max(0, channel - (size - 1) / 2);
    const long long last = op_min(channels - 1, channel + size / 2);
    for (long long i = 0; i < plane; ++i) {
      float sum = 0;
      for (long long c = first; c <= last; ++c) {
        const float other = data[(p - channel + c) * plane + i];
        sum += other * other;
      }
      to[p * plane + i] = data[p * plane + i] / powf(bias + alpha / (float)size * sum, beta);
    }
  }
}

#endif
