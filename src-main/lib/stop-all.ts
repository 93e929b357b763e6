/**
 * Stops parts one after another. A failure does not keep the next parts from stopping.
 *
 * @throws the error of the part that failed, or an AggregateError of several.
 */
export async function stopAll(parts: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const stop of parts) {
    try {
      await stop()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1)
    throw new AggregateError(errors, 'Several parts of the service could not be stopped.')
}
