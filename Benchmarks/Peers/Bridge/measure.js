// Measures a function that calls native code and returns a promise. Times are in microseconds.
'use strict';

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

async function sequential(call, count) {
  const times = [];
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    const before = performance.now();
    await call();
    times.push((performance.now() - before) * 1000);
  }
  const mean = (performance.now() - start) * 1000 / count;
  times.sort((a, b) => a - b);
  return { mean, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

// `lanes` calls are always in flight.
async function inFlight(call, lanes, count) {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  return { callsPerSecond: count / (performance.now() - start) * 1000 };
}

// One round of everything; the first calls only warm up.
async function measure(call, count = 5000) {
  await sequential(call, 500);
  await inFlight(call, 1000, 2000);
  return { ...await sequential(call, count), ...await inFlight(call, 1000, count * 2) };
}
