"""The peers of the crawl benchmark: Scrapy, tuned with our functions, and as most use it."""
