/** Messages of several sources in one order, each put only as fast as they are taken. */

/** A channel: what is put is taken in its order. */
export interface Channel<A> extends AsyncIterable<A> {
  /** Puts an item, and settles once it was taken. After the end it is dropped. */
  readonly put: (item: A) => Promise<void>
  readonly end: () => void
}

/** Makes a channel for one reader. */
export const make = <A>(): Channel<A> => {
  const items: Array<{ readonly item: A; readonly taken: () => void }> = []
  let isOver = false
  let wake = () => {}
  return {
    put: (item) => {
      if (isOver) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      items.push({ item, taken: resolve })
      wake()
      return promise
    },
    end: () => {
      isOver = true
      wake()
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const next = items.shift()
        if (next !== undefined) {
          next.taken()
          yield next.item
        } else if (isOver) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    }
  }
}
