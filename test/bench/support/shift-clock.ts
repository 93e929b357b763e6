/**
 * Loaded into a node by `--import`: its clock differs by so many milliseconds of CLOCK_SHIFTS_MS, which has several,
 * separated by commas. SIGUSR2 changes to the next one.
 */
const shifts = (process.env.CLOCK_SHIFTS_MS ?? '0').split(',').map(Number)
const { now } = Date
let index = 0
Date.now = () => now() + (shifts[index] ?? 0)
process.on('SIGUSR2', () => {
  index = Math.min(index + 1, shifts.length - 1)
})
