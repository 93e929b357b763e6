declare global {
  /** ECMAScript's raw JSON text, which Node 24 has and the compiler's library does not know yet. */
  interface JSON {
    /** An object that JSON.stringify writes out as `text`, which must be a JSON primitive. */
    rawJSON(text: string): { readonly rawJSON: string }
    isRawJSON(value: unknown): boolean
  }
}

export type RawJson = ReturnType<JSON['rawJSON']>
