/** What every route under load answers, with or without protection. */
export const ANSWER = { data: { username: 'ada', displayName: 'Ada Lovelace' } };

const text = { type: 'string' };
const data = { type: 'object', properties: { username: text, displayName: text } };

/** The shape of {@link ANSWER}: with it Fastify writes JSON its quick way, in both servers. */
export const answerSchema = { type: 'object', properties: { data } };
