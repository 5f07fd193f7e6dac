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

// Measures two functions in turns, so that other load on the machine affects both; returns the medians of each.
async function measureByTurns(calls, turns = 21) {
  const results = calls.map(() => []);
  for (let turn = -1; turn < turns; turn += 1) {
    for (const [index, call] of calls.entries()) {
      const result = { ...await sequential(call, 250), ...await inFlight(call, 1000, 2000) };
      if (turn >= 0) results[index].push(result);
    }
  }
  const median = (all, key) => percentile(all.map((one) => one[key]).sort((a, b) => a - b), 0.5);
  return results.map((all) => Object.fromEntries(Object.keys(all[0]).map((key) => [key, median(all, key)])));
}

// One round of everything; the first calls only warm up.
async function measure(call, count = 5000) {
  await sequential(call, 500);
  await inFlight(call, 1000, 2000);
  return { ...await sequential(call, count), ...await inFlight(call, 1000, count * 2) };
}
