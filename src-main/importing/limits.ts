/** Levels of nesting that a document may have (decisions: Inbound, depth). */
export const maxDepth = 1000
/** Actions that one import may create, as many event types, and documents of more are refused unread. */
export const maxEntries = 10_000
/** Values of a JSON document, objects and lists included: each takes some hundred bytes once it is checked. */
export const maxValues = 1_000_000
/** Tokens of a YAML document, of which its parser keeps several hundred bytes each. */
export const maxYamlTokens = 600_000
/** Bytes of a curl command; the shell's grammar is much slower to read than JSON. */
export const maxCurlBytes = 1024 * 1024
/** Parts of an OpenAPI document that are listed as left out. */
export const maxOmissions = 1000
