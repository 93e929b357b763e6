/** Where REST begins (interface: REST). */
export const restPrefix = '/api/v1'
