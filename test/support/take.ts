/** Reads so many items; what else is there stays unread. */
export async function take<T>(items: AsyncGenerator<T>, count: number): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < count) {
    const { value, done } = await items.next()
    if (done) throw new Error(`It ended after ${taken.length}.`)
    taken.push(value)
  }
  return taken
}
