export { createRedisNotifier, type RedisNotifierOptions } from './redis-notifier.js';
