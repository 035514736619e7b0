window.YTD.tweets.part1 = [
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [],
        "urls": []
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "1500000000000000001",
      "truncated": false,
      "retweet_count": "0",
      "id": "1500000000000000001",
      "created_at": "Thu Jan 20 08:00:00 +0000 2022",
      "favorited": false,
      "full_text": "From part one",
      "lang": "en",
      "place": {
        "full_name": "Basel, Switzerland"
      }
    }
  }
]
